import {
  Badge,
  Button,
  Card,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { memo, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress, useParameter } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { dayText, localDateTime, dateTimeFormat, plusDays, shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Failure, Loading } from '../../ui/states.js';
import { WithdrawFact } from '../person/withdraw.js';
import {
  type Area,
  areasOf,
  beliefAt,
  type Field,
  fieldText,
  isWithdrawal,
  TERMS,
  valueText,
} from '../../data/beliefs.js';
import { BeliefChanges, spanText } from '../../ui/belief-changes.js';
import { Legend, Picture } from './picture.js';
import classes from './timeline.module.css';

type Beliefs = Schemas['BeliefsResponse'];
type Fact = Schemas['RecordedFactResponse'];
type State = {
  as_of?: string;
  known_at?: string;
  compare?: string;
  field?: string;
  view?: string;
  fact?: string;
  withdraw?: string;
};

const HEIGHT = 380;
/** The heads of the CSV. */
const HEADS = ['known_from', 'known_to', 'effective_from', 'effective_to', 'employed', ...TERMS, 'fact_id'] as const;
const ACTIONS = ['start', 'change', 'correction', 'end', 'reactivate'] as const;

/** A person's employment in two times: effective dates and recorded times. */
export function Timeline() {
  const { t } = useTranslation('timeline');
  const personId = useParameter('personId');
  const path = { params: { path: { personId } } };
  const person = useQuery({
    queryKey: ['people', personId],
    queryFn: () => answerOf(client.GET('/people/{personId}', path)),
  });
  const beliefs = useQuery({
    queryKey: ['people', personId, 'beliefs'],
    queryFn: () => answerOf(client.GET('/people/{personId}/timeline/beliefs', path)),
  });
  const failed = person.error ?? beliefs.error;
  const name = person.data?.data.display_name ?? '…';
  return (
    <Page
      title={t('title', { name })}
      note={<ScreenLink to={`/people/${personId}`}>{name}</ScreenLink>}
      actions={beliefs.isSuccess && <Exports beliefs={beliefs.data.data} name={name} />}
    >
      {failed !== null && <Failure error={failed} onRetry={() => void beliefs.refetch()} />}
      {beliefs.isPending && <Loading of={t('timeline')} />}
      {beliefs.isSuccess && beliefs.data.data.beliefs.length === 0 && (
        <Empty title={t('empty.title')}>{t('empty.hint')}</Empty>
      )}
      {beliefs.isSuccess && beliefs.data.data.beliefs.length > 0 && (
        <InTwoTimes personId={personId} history={beliefs.data.data} />
      )}
    </Page>
  );
}

function InTwoTimes({ personId, history }: { readonly personId: string; readonly history: Beliefs }) {
  const { t } = useTranslation('timeline');
  const [state, change] = useAddress<State>();
  const { ref, width } = useElementSize();
  // Now is the time at which the page was opened, so that the chart does not move.
  const [now] = useState(() => new Date().toISOString());
  const { beliefs, facts } = history;
  const field: Field = TERMS.find((one) => one === state.field) ?? 'job_title';
  const day = state.as_of ?? today();
  const instant = state.known_at ?? null;
  const areas = useMemo(() => areasOf(beliefs, facts, field), [beliefs, facts, field]);
  const instants = useMemo(() => [...new Set(facts.map((fact) => fact.recorded_at))].sort(), [facts]);
  const borders = useMemo(() => bordersOf(areas), [areas]);
  const select = useCallback(
    (fact: Fact): void =>
      change({
        known_at: fact.recorded_at,
        fact: fact.fact_id,
        ...(fact.effective_from === null ? {} : { as_of: fact.effective_from }),
      }),
    [change],
  );
  const mayWrite = useMay('people:write');
  const withdraw = useCallback((fact: Fact): void => change({ withdraw: fact.fact_id }, { push: true }), [change]);
  const withdrawn = mayWrite
    ? facts.find((fact, index) => fact.fact_id === state.withdraw && canBeWithdrawn(fact, index))
    : undefined;
  return (
    <Stack>
      <Group align="flex-end" gap="sm" className={classes.controls!}>
        <TextInput
          label={t('inForceOn')}
          type="date"
          value={day}
          onChange={({ target }) => change({ as_of: target.value || undefined })}
        />
        <TextInput
          label={t('knownAt')}
          type="datetime-local"
          value={instant === null ? '' : localDateTime(instant)}
          onChange={({ target }) =>
            change({ known_at: target.value === '' ? undefined : new Date(target.value).toISOString() })
          }
        />
        <Button variant="default" onClick={() => change({ known_at: undefined })} disabled={instant === null}>
          {t('now')}
        </Button>
        <Button
          variant="default"
          onClick={() =>
            change({ compare: state.compare === undefined ? (instants.at(-2) ?? instants[0]!) : undefined })
          }
        >
          {t(state.compare === undefined ? 'compare' : 'stopComparing')}
        </Button>
        <Select
          label={t('pictureOf')}
          data={TERMS.map((one) => ({ value: one, label: fieldText(one) }))}
          value={field}
          allowDeselect={false}
          onChange={(chosen) => change({ field: chosen ?? undefined })}
        />
      </Group>
      <Card withBorder padding="sm" className={classes.picture!}>
        <div ref={ref}>
          {width > 0 && (
            <Picture
              areas={areas}
              moments={instants}
              borders={borders}
              now={now}
              day={day}
              moment={instant}
              compared={state.compare}
              width={width}
              height={HEIGHT}
              onDay={(chosen) => change({ as_of: chosen })}
              onMoment={(chosen) => change({ known_at: chosen ?? undefined })}
              onCompared={(chosen) => change({ compare: chosen })}
            />
          )}
        </div>
        <Legend areas={areas} />
        <Text size="xs" c="dimmed" mt="xs">
          {t('explanation')}
        </Text>
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <BelievedThen day={day} moment={instant} history={history} />
        <Changes personId={personId} facts={facts} moment={instant} compared={state.compare} />
      </SimpleGrid>
      <Facts facts={facts} selected={state.fact} onSelect={select} onWithdraw={mayWrite ? withdraw : undefined} />
      {withdrawn !== undefined && (
        <WithdrawFact
          personId={personId}
          factId={withdrawn.fact_id}
          what={factText(withdrawn)}
          day={withdrawn.effective_from ?? day}
          onDone={(message) => {
            notifications.show({ message, color: 'teal' });
            change({ withdraw: undefined });
          }}
          onCancel={() => change({ withdraw: undefined })}
        />
      )}
      <AsTable
        history={history}
        field={field}
        isOpen={state.view === 'table'}
        onToggle={(isOpen) => change({ view: isOpen ? 'table' : undefined })}
      />
    </Stack>
  );
}

/** The beliefs about the day at the time; terms with another current belief are marked. */
function BelievedThen({
  day,
  moment: instant,
  history,
}: {
  readonly day: string;
  readonly moment: string | null;
  readonly history: Beliefs;
}) {
  const { t } = useTranslation('timeline');
  const belief = beliefAt(history.beliefs, day, instant);
  const present = instant === null ? belief : beliefAt(history.beliefs, day, null);
  const fact = history.facts.find(({ fact_id: id }) => id === belief?.fact_id);
  return (
    <Card withBorder aria-live="polite">
      <Title order={2} size="h5">
        {t('on', { day: dayText(day) })}
      </Title>
      <Text size="sm" c="dimmed">
        {instant === null ? t('asKnownNow') : t('asKnownAt', { time: dateTimeFormat(instant) })}
      </Text>
      {belief === null && <Text mt="sm">{t('nothingRecorded')}</Text>}
      {belief !== null && !belief.employed && <Text mt="sm">{t('notEmployed')}</Text>}
      {belief?.employed === true && (
        <Table mt="xs" verticalSpacing={4} aria-label={t('terms')}>
          <Table.Tbody>
            {TERMS.map((term) => {
              const [value, today] = [
                valueText(term, belief[term]),
                present === null ? '–' : valueText(term, present[term]),
              ];
              return (
                <Table.Tr key={term}>
                  <Table.Th scope="row" fw={400} c="dimmed" w="40%">
                    {fieldText(term)}
                  </Table.Th>
                  <Table.Td>
                    {value}
                    {value !== today && (
                      <Text size="xs" className={classes.otherwise!}>
                        {present?.employed === false ? t('nowNotEmployed') : t('nowBelieved', { value: today })}
                      </Text>
                    )}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
      {fact !== undefined && (
        <Text size="sm" mt="sm">
          {t(fact.correction_reason === null ? 'recordedBy' : 'recordedByBecause', {
            action: actionText(fact),
            time: dateTimeFormat(fact.recorded_at),
            actor: actorText(fact),
            reason: fact.correction_reason,
          })}
        </Text>
      )}
    </Card>
  );
}

interface ChangesProperties {
  readonly personId: string;
  readonly facts: readonly Fact[];
  readonly moment: string | null;
  readonly compared: string | undefined;
}

/** The changes between two recorded times, field by field. */
function Changes({ personId, facts, moment: instant, compared }: ChangesProperties) {
  const { t } = useTranslation('timeline');
  // Without a second time: the changes of the last fact known by then.
  const known = facts.filter((fact) => instant === null || fact.recorded_at <= instant);
  const newest = known.at(-1);
  const from =
    compared ?? (newest === undefined ? undefined : new Date(Date.parse(newest.recorded_at) - 1).toISOString());
  const changes = useQuery({
    queryKey: ['people', personId, 'changes', from, instant],
    queryFn: () =>
      answerOf(
        client.GET('/people/{personId}/timeline', {
          params: {
            path: { personId },
            query: { compare_known_at: from!, ...(instant === null ? {} : { known_at: instant }) },
          },
        }),
      ),
    enabled: from !== undefined,
    placeholderData: keepPreviousData,
  });
  const rows = changes.data?.data.changes ?? [];
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {t(compared === undefined ? 'lastChanged' : 'changedBetween')}
      </Title>
      <Text size="sm" c="dimmed">
        {compared !== undefined &&
          t('between', {
            from: dateTimeFormat(compared),
            to: instant === null ? t('picture.now') : dateTimeFormat(instant),
          })}
        {compared === undefined && newest !== undefined && dateTimeFormat(newest.recorded_at)}
      </Text>
      {changes.isError && <Failure error={changes.error} />}
      {changes.isSuccess && rows.length === 0 && <Text mt="sm">{t('nothing')}</Text>}
      {rows.length > 0 && <BeliefChanges changes={rows} label={t('changes')} />}
    </Card>
  );
}

interface FactsProperties {
  readonly facts: readonly Fact[];
  readonly selected: string | undefined;
  readonly onSelect: (fact: Fact) => void;
  /** Undefined if the user may not record facts. */
  readonly onWithdraw: ((fact: Fact) => void) | undefined;
}

/**
 * Whether a fact can be withdrawn: not the first one of a person, without which there is no employment, nor
 * one that another has replaced.
 */
function canBeWithdrawn({ corrected_by: replacedBy }: Fact, index: number): boolean {
  return index > 0 && replacedBy === null;
}

/** The effect of a fact, in a word: a correction without a replacement is a withdrawal. */
function actionText(fact: Fact): string {
  if (isWithdrawal(fact)) return i18next.t('timeline:actions.withdrawal');
  const action = ACTIONS.find((one) => one === fact.action);
  return action === undefined ? fact.action : i18next.t(`timeline:actions.${action}`);
}

function factText(fact: Fact): string {
  const { action, effective_from: from } = fact;
  if (from === null) return actionText(fact);
  const values = { action: actionText(fact), day: shortDayText(from) };
  return action === 'end' ? i18next.t('timeline:factOn', values) : i18next.t('timeline:factFrom', values);
}

/** The initial number of facts in a list. */
const FIRST_FACTS = 20;

/**
 * Every recorded fact, newest first: choosing one moves the handles to it. A long list begins with the
 * newest, unless an older one is chosen.
 */
const Facts = memo(function Facts({ facts, selected, onSelect, onWithdraw }: FactsProperties) {
  const { t } = useTranslation('timeline');
  const [isWhole, setIsWhole] = useState(false);
  const newest = facts.toReversed();
  const place = newest.findIndex(({ fact_id: id }) => id === selected);
  const shown = isWhole || place >= FIRST_FACTS ? newest : newest.slice(0, FIRST_FACTS);
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {t('facts')}
      </Title>
      <Table.ScrollContainer minWidth={720}>
        <Table verticalSpacing={4} mt="xs" aria-label={t('facts')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('recorded')}</Table.Th>
              <Table.Th>{t('what')}</Table.Th>
              <Table.Th>{t('inForceFrom')}</Table.Th>
              <Table.Th>{t('by')}</Table.Th>
              <Table.Th>{t('why')}</Table.Th>
              {onWithdraw !== undefined && (
                <Table.Th>
                  <VisuallyHidden>{t('withdrawHead')}</VisuallyHidden>
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((fact) => (
              <Table.Tr
                key={fact.fact_id}
                id={fact.fact_id}
                aria-selected={fact.fact_id === selected}
                className={fact.fact_id === selected ? classes.selected : undefined}
              >
                <Table.Td>
                  <Button variant="subtle" size="compact-sm" onClick={() => onSelect(fact)}>
                    {dateTimeFormat(fact.recorded_at)}
                  </Button>
                </Table.Td>
                <Table.Td>
                  <Badge variant="dot" miw="max-content" color={fact.action === 'correction' ? 'orange' : 'indigo'}>
                    {actionText(fact)}
                  </Badge>
                  {fact.corrected_by !== null && (
                    <Text size="xs" c="dimmed">
                      {t('superseded')}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  {fact.effective_from === null ? t('notRecorded') : shortDayText(fact.effective_from)}
                </Table.Td>
                <Table.Td>{actorText(fact)}</Table.Td>
                <Table.Td>{fact.correction_reason}</Table.Td>
                {onWithdraw !== undefined && (
                  <Table.Td>
                    {canBeWithdrawn(fact, facts.indexOf(fact)) && (
                      <Button
                        variant="subtle"
                        size="compact-sm"
                        aria-label={t('withdrawFact', { fact: factText(fact) })}
                        onClick={() => onWithdraw(fact)}
                      >
                        {t('withdraw')}
                      </Button>
                    )}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {shown.length < facts.length && (
        <Button variant="default" mt="xs" onClick={() => setIsWhole(true)}>
          {t('showAll', { count: facts.length })}
        </Button>
      )}
    </Card>
  );
});

interface AsTableProperties {
  readonly history: Beliefs;
  readonly field: Field;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** The chart as a table, for screen readers. */
function AsTable({ history, field, isOpen, onToggle }: AsTableProperties) {
  const { t } = useTranslation('timeline');
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h5">
          {t('asTable')}
        </Title>
        <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
          {t(isOpen ? 'hide' : 'show')}
        </Button>
      </Group>
      {isOpen && (
        <Table.ScrollContainer minWidth={480}>
          <Table verticalSpacing={4} mt="xs" aria-label={t('beliefs', { field: fieldText(field) })}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('days')}</Table.Th>
                <Table.Th>{fieldText(field)}</Table.Th>
                <Table.Th>{t('knownFrom')}</Table.Th>
                <Table.Th>{t('until')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {areasOf(history.beliefs, history.facts, field).map((area) => (
                <Table.Tr key={`${area.from} ${area.knownFrom}`}>
                  <Table.Td>{spanText(area.from, area.to)}</Table.Td>
                  <Table.Td>{area.text}</Table.Td>
                  <Table.Td>{dateTimeFormat(area.knownFrom)}</Table.Td>
                  <Table.Td>{area.knownTo === null ? t('stillBelieved') : dateTimeFormat(area.knownTo)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}

function Exports({ beliefs, name }: { readonly beliefs: Beliefs; readonly name: string }) {
  const { t } = useTranslation('timeline');
  const save = (): void => {
    const heads = HEADS.map((head) => t(`heads.${head}`));
    const rows = beliefs.beliefs.map((belief) => [
      belief.known_from,
      belief.known_to,
      belief.effective_from,
      belief.effective_to,
      belief.employed,
      ...TERMS.map((term) =>
        typeof belief[term] === 'number' ? belief[term] : belief[term] === null ? null : valueText(term, belief[term]),
      ),
      belief.fact_id,
    ]);
    saveFile(`${t('fileName', { name })}.csv`, csvOf(heads, rows));
  };
  return (
    <Group gap="xs" className={classes.controls!}>
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
        {t('csv')}
      </Button>
      <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => print()}>
        {t('print')}
      </Button>
    </Group>
  );
}

function actorText({ actor, approved_by: approver }: Fact): string {
  const by = i18next.t(`timeline:actors.${actor.type}`, { name: actor.name ?? actor.id });
  return approver === undefined
    ? by
    : i18next.t('timeline:approvedBy', { actor: by, name: approver.name ?? approver.id });
}

/** The days at which areas begin or end, with a margin on both sides, and always including today. */
function bordersOf(areas: readonly Area[]): readonly string[] {
  const days = [...new Set(areas.flatMap(({ from, to }) => [from, to]).filter((day) => day !== null))].sort();
  const [first, last] = [[...days, today()].sort()[0]!, [...days, today()].sort().at(-1)!];
  const spare = Math.max(30, Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000 / 20));
  return [plusDays(first, -spare), ...days, plusDays(last, spare)];
}
