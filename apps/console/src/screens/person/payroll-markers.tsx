import { Button, Card, Group, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shortDayText, today } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { readFromConsole, sendToConsole, useMay } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Failure, Reading } from '../../ui/states.js';

const MARKERS = ['compensation', 'bank_details', 'tax_id', 'government_id'] as const;
const STATES = ['present', 'changed', 'absent'] as const;
type Marker = (typeof MARKERS)[number];
type State = (typeof STATES)[number];

/** A current marker, see docs/reference/payroll.md. */
interface Standing {
  readonly id: string;
  readonly marker: Marker;
  readonly state: State;
  readonly effective_date: string;
}

type MarkerForm = Omit<Standing, 'id'> | { readonly withdraws: string };

/** The words of a marker's text. */
const wordsOf = ({ marker, state, effective_date: date }: Omit<Standing, 'id'>) => ({
  marker: i18next.t(`person:markers.names.${marker}`),
  state: i18next.t(`person:markers.states.${state}`),
  day: shortDayText(date),
});

const pathOf = (personId: string): string => `/console/people/${personId}/payroll-markers`;

/** Payroll data outside of the service: whether it exists, and since when it changed. Never a value. */
export function PayrollMarkers({ personId }: { readonly personId: string }) {
  const { t } = useTranslation(['person', 'common']);
  const [may, mayWrite] = [useMay('payroll_exports:read'), useMay('payroll_exports:read', 'people:write')];
  const [isOpen, setIsOpen] = useState(false);
  const queryKey = ['people', personId, 'payroll-markers'];
  const query = useQuery({
    queryKey,
    queryFn: () => readFromConsole<readonly Standing[]>(pathOf(personId)),
    enabled: may,
  });
  const write = useWriteOf(personId);
  if (!may) return null;
  return (
    <Card withBorder component="section" aria-label={t('markers.title')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('markers.title')}
        </Title>
        {mayWrite && (
          <Button size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
            {t('markers.mark')}
          </Button>
        )}
      </Group>
      <Reading of={t('markers.reading')} query={query} />
      {query.isSuccess && query.data.length === 0 && <Text c="dimmed">{t('markers.none')}</Text>}
      {query.isSuccess && query.data.length > 0 && (
        <Table verticalSpacing={4} aria-label={t('markers.title')}>
          <Table.Tbody>
            {query.data.map((standing) => (
              <Table.Tr key={standing.id}>
                <Table.Td>{t('markers.standing', wordsOf(standing))}</Table.Td>
                {mayWrite && (
                  <Table.Td ta="right">
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t('common:withdraw.named', { what: t('markers.standing', wordsOf(standing)) })}
                      disabled={write.isPending}
                      onClick={() => write.mutate({ withdraws: standing.id })}
                    >
                      {t('common:withdraw.action')}
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
  const { t } = useTranslation('person');
  const [marker, setMarker] = useState<Marker>('compensation');
  const [state, setState] = useState<State>('changed');
  const [date, setDate] = useState(today());
  const write = useWriteOf(personId, () => {
    const words = wordsOf({ marker, state, effective_date: date });
    notifications.show({ message: t('markers.marked', words), color: 'teal' });
    onClose();
  });
  return (
    <Dialog onClose={onClose} title={t('markers.form')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ marker, state, effective_date: date });
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            {t('markers.explanation')}
          </Text>
          <Select
            label={t('markers.what')}
            allowDeselect={false}
            data={MARKERS.map((value) => ({ value, label: t(`markers.names.${value}`) }))}
            value={marker}
            onChange={(value) => setMarker((value ?? 'compensation') as Marker)}
          />
          <Select
            label={t('markers.is')}
            allowDeselect={false}
            data={STATES.map((value) => ({ value, label: t(`markers.states.${value}`) }))}
            value={state}
            onChange={(value) => setState((value ?? 'changed') as State)}
          />
          <TextInput
            type="date"
            label={t('change.from')}
            required
            value={date}
            error={issueOf(write.error, 'effective_date')}
            onChange={({ target }) => setDate(target.value)}
          />
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('markers.submit')}
            isPending={write.isPending}
            isDisabled={date === ''}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

const useWriteOf = (personId: string, onSuccess: () => void = () => undefined) =>
  useWrite(
    (requested: MarkerForm, headers) =>
      sendToConsole<readonly Standing[]>('POST', pathOf(personId), requested, headers),
    { onSuccess },
  );
