import { Button, Group, Progress, Select, Stack, Switch, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { answerOf, WorkforceError } from '@workforce-hr/client';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Field, valueText } from '../../data/beliefs.js';
import { client, type Person, type Schemas } from '../../data/client.js';
import { today } from '../../data/days.js';
import { sendToConsole } from '../../data/session.js';
import { mayHaveChanged } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { NO_TERMS, type Terms } from '../person/dated-terms.js';
import { DayField } from '../person/form.js';
import { readHistory } from '../person/history.js';
import { labelOf, TermField, TERMS } from '../person/terms-form.js';

const PAUSE_AFTER_TYPING = 300;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

type Change = Schemas['TimelineChangeResponse'];
type Body = Partial<Terms> & { readonly start_date: string };

/** What the service says about the change of one person. */
interface Preview {
  readonly entityTag: string;
  readonly changes: readonly Change[];
}

interface BulkChangeProperties {
  readonly people: readonly Person[];
  /** With the ids of those who have been changed. */
  readonly onClose: (changed: ReadonlySet<string>) => void;
}

/**
 * Changes one term of many people from a day on. The service decides each change before it is sent, so that
 * everybody's before and after is seen; the changes are then sent one after the other, each safe to repeat.
 */
export function BulkChange({ people, onClose }: BulkChangeProperties) {
  const { t } = useTranslation(['directory', 'common']);
  const queryClient = useQueryClient();
  const [term, setTerm] = useState<keyof Terms>('job_title');
  const [terms, setTerms] = useState<Terms>(NO_TERMS);
  const [isCleared, setCleared] = useState(false);
  const [day, setDay] = useState(today);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Error | null>>(new Map());
  const [isSending, setSending] = useState(false);
  const isStopped = useRef(false);
  const keys = useRef(new Map<string, string>());
  const value = isCleared ? null : terms[term];
  const isFilled = day !== '' && (isCleared || value !== null);
  const body: Body | null = isFilled ? { [term]: value, start_date: day } : null;
  const previews = usePreviews(people, body);
  const changed = new Set([...outcomes].filter(([, error]) => error === null).map(([id]) => id));
  const open = people.filter(({ id }) => !changed.has(id));
  const isReady = body !== null && open.length > 0 && open.every(({ id }) => previews.get(id)?.isPending === false);
  const possible = open.filter(({ id }) => (previews.get(id)?.data?.changes.length ?? 0) > 0);

  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (body === null) return;
    setSending(true);
    isStopped.current = false;
    for (const { id } of possible) {
      if (isStopped.current) break;
      const error = await changeOne(id, body, previews.get(id)!.data!.entityTag, keys.current);
      setOutcomes((former) => new Map(former).set(id, error));
    }
    setSending(false);
    await queryClient.invalidateQueries({ predicate: mayHaveChanged });
  };
  const close = (): void => {
    isStopped.current = true;
    onClose(changed);
  };
  return (
    <Dialog title={t('bulk.title', { count: people.length })} size="xl" onClose={close}>
      <form onSubmit={(event) => void send(event)}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('bulk.explanation')}
          </Text>
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <Select
              label={t('bulk.term')}
              allowDeselect={false}
              disabled={isSending}
              data={TERMS.map((name) => ({ value: name, label: labelOf(name) }))}
              value={term}
              onChange={(name) => name !== null && setTerm(name as keyof Terms)}
            />
            {!isCleared && <TermField term={term} value={terms} names={NO_NAMES} onChange={setTerms} error={null} />}
            <DayField label={t('bulk.from')} value={day} onChange={setDay} error={undefined} />
          </Group>
          <Switch
            label={t('bulk.clear')}
            checked={isCleared}
            disabled={isSending}
            onChange={({ target }) => setCleared(target.checked)}
          />
          <Table.ScrollContainer minWidth={480} mah={360}>
            <Table verticalSpacing={4} aria-label={t('bulk.beforeAndAfter')} stickyHeader>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('name')}</Table.Th>
                  <Table.Th>{t('bulk.before')}</Table.Th>
                  <Table.Th>{t('bulk.after')}</Table.Th>
                  <Table.Th>{t('bulk.outcome')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {people.map((person) => (
                  <PreviewRow
                    key={person.id}
                    person={person}
                    preview={previews.get(person.id)}
                    outcome={outcomes.get(person.id)}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {(isSending || outcomes.size > 0) && (
            <div role="status">
              <Text size="sm">{t('bulk.progress', { count: people.length, done: changed.size })}</Text>
              <Progress value={(100 * changed.size) / people.length} aria-label={t('bulk.outcome')} />
            </div>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {outcomes.size > 0 && !isSending ? t('common:close') : t('common:cancel')}
            </Button>
            <Button type="submit" loading={isSending} disabled={!isReady || possible.length === 0}>
              {t('bulk.submit', { count: possible.length })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface PreviewRowProperties {
  readonly person: Person;
  readonly preview: PreviewState | undefined;
  /** Null once changed; an error if the change was refused; undefined before. */
  readonly outcome: Error | null | undefined;
}

function PreviewRow({ person, preview, outcome }: PreviewRowProperties) {
  const { t } = useTranslation('directory');
  const changes = preview?.data?.changes ?? [];
  const error = outcome ?? preview?.error ?? null;
  const first = changes[0];
  return (
    <Table.Tr>
      <Table.Td>{person.display_name}</Table.Td>
      <Table.Td>{first !== undefined && <del>{valueText(first.field as Field, first.before)}</del>}</Table.Td>
      <Table.Td>{first !== undefined && <ins>{valueText(first.field as Field, first.after)}</ins>}</Table.Td>
      <Table.Td>
        {outcome === null ? (
          t('bulk.changed')
        ) : error !== null ? (
          <Text size="sm" c="var(--mantine-color-error)">
            {reasonOf(error)}
          </Text>
        ) : preview?.isPending === false && changes.length === 0 ? (
          t('bulk.unchanged')
        ) : (
          ''
        )}
      </Table.Td>
    </Table.Tr>
  );
}

interface PreviewState {
  readonly isPending: boolean;
  readonly data: Preview | undefined;
  readonly error: Error | null;
}

/** The service's decision about the change of each person, while the form is filled in. */
function usePreviews(people: readonly Person[], body: Body | null): ReadonlyMap<string, PreviewState> {
  const requested = JSON.stringify(body);
  const [text] = useDebouncedValue(requested, PAUSE_AFTER_TYPING);
  const isCurrent = body !== null && text === requested;
  return useQueries({
    queries: people.map(({ id }) => ({
      queryKey: ['preview', 'bulk', id, text],
      queryFn: () => previewOf(id, JSON.parse(text) as Body),
      enabled: isCurrent,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })),
    combine: (results) =>
      new Map(
        results.map(({ isPending, data, error }, index) => [
          people[index]!.id,
          { isPending: isPending || !isCurrent, data, error },
        ]),
      ),
  });
}

async function previewOf(personId: string, body: Body): Promise<Preview> {
  const { entityTag } = await readHistory(personId);
  const { changes } = await sendToConsole<{ readonly changes: readonly Change[] }>('POST', '/console/previews', {
    operation: 'changeEmployment',
    person_id: personId,
    if_match: entityTag ?? '',
    body,
  });
  return { entityTag: entityTag ?? '', changes };
}

/** Sends the change of one person; returns its error, or null. The same change keeps its idempotency key. */
async function changeOne(
  personId: string,
  body: Body,
  entityTag: string,
  keys: Map<string, string>,
): Promise<Error | null> {
  const text = JSON.stringify([personId, body, entityTag]);
  const key = keys.get(text) ?? crypto.randomUUID();
  keys.set(text, key);
  const header = { 'Idempotency-Key': key, 'If-Match': entityTag };
  try {
    await answerOf(client.PATCH('/people/{personId}/employment', { params: { path: { personId }, header }, body }));
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The reason of a refusal in one line. */
function reasonOf(error: Error): string {
  const issue = error instanceof WorkforceError ? error.details[0] : undefined;
  return issue === undefined ? error.message : `${issue.field} ${issue.issue}`;
}
