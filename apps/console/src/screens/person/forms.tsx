import { Select, Table, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Answer, answerOf } from '@workforce-hr/client';
import { type ReactNode, useState } from 'react';
import { client, type Person, type Schemas } from '../../data/client.js';
import { plusDays, shortDayText, today } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import type { Difference } from '../../ui/lost-race.js';
import { Failure, Loading } from '../../ui/states.js';
import { isWithdrawal } from '../../data/beliefs.js';
import { CorrectionReason } from './correction-reason.js';
import { BeforeAndAfter, usePreview } from './preview.js';
import {
  changedTerms,
  type Corrected,
  differsFrom,
  type Fact,
  filledTerms,
  kindOf,
  namesOf,
  NO_TERMS,
  sentTerms,
  type Terms,
  termsOn,
} from './dated-terms.js';
import { DayField, Form } from './form.js';
import { type History, readFacts, readHistory } from './history.js';
import { changesBetween } from './lost-terms.js';
import { segmentOn } from './standing.js';
import { TermsFields } from './terms-form.js';
import { useBased, useTaggedWrite } from './use-tagged-write.js';

interface FormProperties<Resource> {
  readonly personId: string;
  /**
   * The initial data of an opened form. Later reads change neither its content nor the entity tag, except
   * after a conflict.
   */
  readonly answer: Answer<{ readonly data: Resource }>;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}

type Timeline = History['data'];

const IDENTITY = {
  work_email: 'Work e-mail',
  first_name: 'First name',
  preferred_name: 'Preferred name',
  last_name: 'Last name',
  staff_id: 'Staff id',
} as const;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

type IdentityField = keyof typeof IDENTITY;

const readPerson = (personId: string) => answerOf(client.GET('/people/{personId}', { params: { path: { personId } } }));
const segmentsOf = ({ segments = [] }: Timeline) => segments;

/** Terms from a day on: a promotion, a move, other hours. */
export function ChangeTerms({ personId, answer, onDone, onCancel }: FormProperties<Timeline>) {
  const based = useBased(answer, () => readHistory(personId));
  const segments = segmentsOf(based.answer.data);
  const [typed, setTyped] = useState<Partial<Terms>>({});
  const [day, setDay] = useState(today);
  const believed = termsOn(segments, day);
  const shown = { ...believed, ...typed };
  const changed = changedTerms(believed, shown);
  const body = day !== '' && Object.keys(changed).length > 0 ? { ...changed, start_date: day } : null;
  const preview = usePreview('changeEmployment', personId, based, body);
  const write = useTaggedWrite(
    based,
    (input: Partial<Terms> & { start_date: string }, header) =>
      answerOf(client.PATCH('/people/{personId}/employment', { params: { path: { personId }, header }, body: input })),
    () => onDone('The terms are changed.'),
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title="Change terms"
      explanation="For terms that change on a day. To fix a mistake in the record, correct history instead."
      submit="Change terms"
      isReady={preview.isShown}
      isPending={write.isPending}
      error={error}
      lost={based.overtaken === null ? null : changesBetween(based.overtaken, based.answer.data, day)}
      onSubmit={() => body !== null && write.send(body)}
      onCancel={onCancel}
    >
      <DayField label="From" value={day} onChange={setDay} error={issueOf(error, 'start_date')} />
      <TermsFields
        value={shown}
        names={namesOf(segments)}
        onChange={(terms) => setTyped({ ...typed, ...changedTerms(shown, terms) })}
        error={error}
      />
      <BeforeAndAfter of={preview} />
    </Form>
  );
}

/** A correction: a new fact; superseded ones stay readable as they were known. */
export function CorrectHistory(properties: FormProperties<Timeline>) {
  const { personId } = properties;
  const facts = useQuery({ queryKey: ['people', personId, 'facts'], queryFn: () => readFacts(personId) });
  if (facts.isError) return <Failure error={facts.error} onRetry={() => void facts.refetch()} />;
  if (facts.isPending) return <Loading of="the facts" />;
  return <Correction {...properties} facts={facts.data} />;
}

function Correction({
  personId,
  answer,
  facts,
  onDone,
  onCancel,
}: FormProperties<Timeline> & { readonly facts: readonly Fact[] }) {
  const based = useBased(answer, () => readHistory(personId));
  const segments = segmentsOf(based.answer.data);
  // A withdrawal is itself withdrawn, on the timeline, not replaced.
  const open = facts.filter((one) => one.corrected_by === null && !isWithdrawal(one));
  const [chosen, setChosen] = useState<string | null>(null);
  // Wrong terms were mostly wrong from their first day on.
  const [day, setDay] = useState(() => segmentOn(segments, today())?.effective_from ?? today());
  const [typed, setTyped] = useState<Partial<Terms>>({});
  const [reason, setReason] = useState('');
  const fact = open.find(({ fact_id: id }) => id === chosen);
  const corrected: Corrected | null = fact === undefined ? null : { fact, kind: kindOf(fact, facts) };
  const isEnd = corrected?.kind === 'end';
  const shown = { ...filledTerms(segments, day, corrected), ...(isEnd ? {} : typed) };
  const sent = sentTerms(segments, day, corrected, shown);
  const isDifferent = corrected === null ? Object.keys(sent).length > 0 : differsFrom(corrected, day, sent);
  const fields = { ...sent, start_date: day, ...(fact === undefined ? {} : { corrects: fact.fact_id }) };
  const isReady = day !== '' && isDifferent;
  // The preview does not depend on the reason.
  const preview = usePreview(
    'recordEmploymentFact',
    personId,
    based,
    isReady ? { ...fields, correction_reason: 'Preview' } : null,
  );
  const write = useTaggedWrite(
    based,
    (input: typeof fields & { correction_reason: string }, header) =>
      answerOf(
        client.POST('/people/{personId}/employment-history', { params: { path: { personId }, header }, body: input }),
      ),
    () => onDone('The correction is recorded.'),
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title="Correct history"
      explanation="Corrects the recorded facts. The earlier record stays readable, with your reason beside it."
      submit="Record the correction"
      isReady={preview.isShown && reason.trim() !== ''}
      isPending={write.isPending}
      error={error}
      lost={based.overtaken === null ? null : changesBetween(based.overtaken, based.answer.data, day)}
      onSubmit={() => write.send({ ...fields, correction_reason: reason.trim() })}
      onCancel={onCancel}
    >
      <Select
        label="Replaces"
        description="Choose a fact that is wrong as a whole; choose none if terms are wrong from a day on."
        clearable
        data={open.map((one) => ({ value: one.fact_id, label: factText(one) }))}
        value={chosen}
        error={issueOf(error, 'corrects')}
        onChange={(id) => {
          setChosen(id);
          setTyped({});
          const from = open.find(({ fact_id: one }) => one === id)?.effective_from;
          if (from !== null && from !== undefined) setDay(from);
        }}
      />
      <DayField
        label={isEnd ? 'Final day' : 'In force from'}
        value={day}
        onChange={setDay}
        error={issueOf(error, 'start_date')}
      />
      {!isEnd && (
        <TermsFields
          value={shown}
          names={namesOf([...segments, ...facts])}
          onChange={(terms) => setTyped({ ...typed, ...changedTerms(shown, terms) })}
          error={error}
        />
      )}
      <BeforeAndAfter of={preview} />
      <CorrectionReason value={reason} error={error} onChange={setReason} />
    </Form>
  );
}

/** The final day of an employment. */
export function EndEmployment({ personId, answer, onDone, onCancel }: FormProperties<Person>) {
  const based = useBased(answer, () => readPerson(personId));
  const [day, setDay] = useState(today);
  const body = day === '' ? null : { end_date: day };
  const preview = usePreview('endPerson', personId, based, body);
  const write = useTaggedWrite(
    based,
    (input: { end_date: string }, header) =>
      answerOf(client.POST('/people/{personId}/end', { params: { path: { personId }, header }, body: input })),
    () => onDone('The final day is recorded.'),
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title="End employment"
      explanation="The final day is the last day of employment. Time off after it is cancelled."
      submit="End employment"
      isReady={preview.isShown}
      isPending={write.isPending}
      error={error}
      lost={personBetween(based.overtaken, based.answer.data)}
      onSubmit={() => body !== null && write.send(body)}
      onCancel={onCancel}
    >
      <DayField label="Final day" value={day} onChange={setDay} error={issueOf(error, 'end_date')} />
      <BeforeAndAfter of={preview} />
    </Form>
  );
}

/** Another period of employment of a person who left. */
export function Rehire({ personId, answer, onDone, onCancel }: FormProperties<Person>) {
  const based = useBased(answer, () => readPerson(personId));
  const { end_date: finalDay } = based.answer.data;
  const earliest = finalDay === null ? undefined : plusDays(finalDay, 1);
  const [day, setDay] = useState(() => (earliest !== undefined && earliest > today() ? earliest : today()));
  const [terms, setTerms] = useState<Terms>(NO_TERMS);
  const body = day === '' ? null : { ...changedTerms(NO_TERMS, terms), start_date: day };
  const preview = usePreview('reactivatePerson', personId, based, body);
  const write = useTaggedWrite(
    based,
    (input: Partial<Terms> & { start_date: string }, header) =>
      answerOf(client.POST('/people/{personId}/reactivate', { params: { path: { personId }, header }, body: input })),
    () => onDone('The new period is recorded.'),
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title="Rehire"
      explanation="A new period inherits no terms: name all that it begins with."
      submit="Rehire"
      isReady={preview.isShown}
      isPending={write.isPending}
      error={error}
      lost={personBetween(based.overtaken, based.answer.data)}
      onSubmit={() => body !== null && write.send(body)}
      onCancel={onCancel}
    >
      <DayField label="First day" value={day} min={earliest} onChange={setDay} error={issueOf(error, 'start_date')} />
      <TermsFields value={terms} names={NO_NAMES} onChange={setTerms} error={error} />
      <BeforeAndAfter of={preview} />
    </Form>
  );
}

/** Names, address and staff id. */
export function EditIdentity({ personId, answer, onDone, onCancel }: FormProperties<Person>) {
  const based = useBased(answer, () => readPerson(personId));
  const [typed, setTyped] = useState<Partial<Record<IdentityField, string>>>({});
  const was = identityOf(based.answer.data);
  const shown = { ...was, ...typed };
  const changed = (Object.keys(IDENTITY) as IdentityField[]).filter((name) => shown[name] !== was[name]);
  const write = useTaggedWrite(
    based,
    (input: Schemas['UpdatePersonRequest'], header) =>
      answerOf(client.PATCH('/people/{personId}', { params: { path: { personId }, header }, body: input })),
    () => onDone('The change is recorded.'),
  );
  return (
    <Form
      title="Edit identity"
      explanation="Names are not dated: a change shows in the past as well."
      submit="Save"
      isReady={changed.length > 0}
      isPending={write.isPending}
      error={write.error}
      lost={personBetween(based.overtaken, based.answer.data)}
      onSubmit={() =>
        write.send(Object.fromEntries(changed.map((name) => [name, shown[name] === '' ? null : shown[name]])))
      }
      onCancel={onCancel}
    >
      {(Object.keys(IDENTITY) as IdentityField[]).map((name) => (
        <TextInput
          key={name}
          label={IDENTITY[name]}
          value={shown[name]}
          error={issueOf(write.error, name)}
          description={shown[name] === was[name] ? undefined : `Before: ${was[name] === '' ? 'nothing' : was[name]}`}
          onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
        />
      ))}
    </Form>
  );
}

function personBetween(before: Person | null, after: Person): readonly Difference[] | null {
  if (before === null) return null;
  const [was, is] = [identityOf(before), identityOf(after)];
  const identity = (Object.keys(IDENTITY) as IdentityField[]).map((name) => ({
    what: IDENTITY[name],
    before: was[name],
    after: is[name],
  }));
  const others = [
    { what: 'Job title', before: before.job_title ?? '–', after: after.job_title ?? '–' },
    { what: 'Status', before: before.status ?? '–', after: after.status ?? '–' },
    { what: 'First day', before: dayOf(before.start_date), after: dayOf(after.start_date) },
    { what: 'Final day', before: dayOf(before.end_date), after: dayOf(after.end_date) },
  ];
  return [...identity, ...others].filter((row) => row.before !== row.after);
}

const dayOf = (day: string | null): string => (day === null ? '–' : shortDayText(day));

function identityOf(shown: Person): Readonly<Record<IdentityField, string>> {
  const { work_email, first_name, preferred_name, last_name, staff_id } = shown;
  return {
    work_email,
    first_name: first_name ?? '',
    preferred_name: preferred_name ?? '',
    last_name: last_name ?? '',
    staff_id: staff_id ?? '',
  };
}

function factText(fact: Fact): string {
  const from =
    fact.effective_from === null
      ? 'without a date'
      : `${fact.action === 'end' ? 'on' : 'from'} ${shortDayText(fact.effective_from)}`;
  const title = typeof fact.job_title === 'string' ? ` (${fact.job_title})` : '';
  return `${fact.action} ${from}${title}, recorded ${shortDayText(fact.recorded_at.slice(0, 10))}`;
}

/** A list of names with values. */
export function Definitions({
  rows,
  label,
}: {
  readonly label: string;
  readonly rows: readonly (readonly [string, ReactNode])[];
}) {
  return (
    <Table verticalSpacing={4} aria-label={label}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400} c="dimmed" w="40%">
              {name}
            </Table.Th>
            <Table.Td>{value ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
