import { Button, Card, Group, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { WorkforceError } from '@workforce-hr/client';
import { useState } from 'react';
import { shortDayText, today } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { useMay } from '../../data/session.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Failure, Reading } from '../../ui/states.js';

const MARKERS = {
  compensation: 'Compensation',
  bank_details: 'Bank details',
  tax_id: 'Tax id',
  government_id: 'Government id',
} as const;
const STATES = { present: 'present', changed: 'changed', absent: 'gone' } as const;
type Marker = keyof typeof MARKERS;
type State = keyof typeof STATES;

/** A current marker, see docs/reference/payroll.md. */
interface Standing {
  readonly id: string;
  readonly marker: Marker;
  readonly state: State;
  readonly effective_date: string;
}

type MarkerForm = Omit<Standing, 'id'> | { readonly withdraws: string };

/** For sessions only: API keys may not read or write markers. */
async function request(personId: string, body?: MarkerForm): Promise<readonly Standing[]> {
  const content =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/console/people/${personId}/payroll-markers`, content);
  if (!response.ok) throw await WorkforceError.of(response);
  return ((await response.json()) as { readonly data: readonly Standing[] }).data;
}

/** Payroll data outside of the service: whether it exists, and since when it changed. Never a value. */
export function PayrollMarkers({ personId }: { readonly personId: string }) {
  const [may, mayWrite] = [useMay('payroll_exports:read'), useMay('payroll_exports:read', 'people:write')];
  const [isOpen, setIsOpen] = useState(false);
  const queryKey = ['people', personId, 'payroll-markers'];
  const query = useQuery({ queryKey, queryFn: () => request(personId), enabled: may });
  const write = useWriteOf(personId);
  if (!may) return null;
  return (
    <Card withBorder component="section" aria-label="Payroll markers">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Payroll markers
        </Title>
        {mayWrite && (
          <Button size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
            Mark…
          </Button>
        )}
      </Group>
      <Reading of="the markers" query={query} />
      {query.isSuccess && query.data.length === 0 && <Text c="dimmed">Nothing is marked.</Text>}
      {query.isSuccess && query.data.length > 0 && (
        <Table verticalSpacing={4} aria-label="Payroll markers">
          <Table.Tbody>
            {query.data.map(({ id, marker, state, effective_date: date }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  {MARKERS[marker]} {STATES[state]} from {shortDayText(date)}
                </Table.Td>
                {mayWrite && (
                  <Table.Td ta="right">
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Withdraw: ${MARKERS[marker]} ${STATES[state]} from ${shortDayText(date)}`}
                      disabled={write.isPending}
                      onClick={() => write.mutate({ withdraws: id })}
                    >
                      Withdraw
                    </Button>
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {write.isError && <Failure error={write.error} />}
      {isOpen && <Mark personId={personId} onClose={() => setIsOpen(false)} />}
    </Card>
  );
}

function Mark({ personId, onClose }: { readonly personId: string; readonly onClose: () => void }) {
  const [marker, setMarker] = useState<Marker>('compensation');
  const [state, setState] = useState<State>('changed');
  const [date, setDate] = useState(today());
  const write = useWriteOf(personId, () => {
    notifications.show({ message: `${MARKERS[marker]}: ${STATES[state]} from ${shortDayText(date)}.`, color: 'teal' });
    onClose();
  });
  return (
    <Dialog onClose={onClose} title="Mark for payroll">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ marker, state, effective_date: date });
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            The amount, the account or the number stays in the system that holds it.
          </Text>
          <Select
            label="What"
            allowDeselect={false}
            data={Object.entries(MARKERS).map(([value, label]) => ({ value, label }))}
            value={marker}
            onChange={(value) => setMarker((value ?? 'compensation') as Marker)}
          />
          <Select
            label="Is"
            allowDeselect={false}
            data={Object.entries(STATES).map(([value, label]) => ({ value, label }))}
            value={state}
            onChange={(value) => setState((value ?? 'changed') as State)}
          />
          <TextInput
            type="date"
            label="From"
            required
            value={date}
            error={issueOf(write.error, 'effective_date')}
            onChange={({ target }) => setDate(target.value)}
          />
          {write.isError && <Failure error={write.error} />}
          <FormButtons action="Mark" isPending={write.isPending} isDisabled={date === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}

/** A repeated marker records nothing, so that retries are safe without a key. */
function useWriteOf(personId: string, onDone?: () => void) {
  const queryClient = useQueryClient();
  return useMutation<readonly Standing[], Error, MarkerForm>({
    mutationFn: (requested) => request(personId, requested),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      onDone?.();
    },
  });
}
