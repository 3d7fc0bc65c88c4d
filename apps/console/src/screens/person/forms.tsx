import { Select, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Answer, answerOf } from '@workforce-hr/client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { client, type Person, type Schemas } from '../../data/client.js';
import { shortDayText, today } from '../../data/days.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { Failure } from '../../ui/states.js';
import { type Field, FIELDS, valueText } from '../timeline/beliefs.js';
import { changedTerms, NO_TERMS, type Terms, TermsFields, termsOf } from './terms-form.js';
import { useTaggedWrite } from './use-tagged-write.js';
import { issueOf } from '../../data/issue-of.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Dialog } from '../../ui/dialog.js';

type Employment = Schemas['EmploymentResponse'];
type Fact = Schemas['FactResponse'];

interface FormProperties<Resource> {
  readonly personId: string;
  /** What the form is filled from when it is opened: what is read later does not change what was typed, nor the tag that is sent. */
  readonly answer: Answer<{ readonly data: Resource }>;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}

const SHOWN_TERMS = Object.keys(FIELDS) as readonly Field[];
const IDENTITY = {
  work_email: 'Work e-mail',
  first_name: 'First name',
  preferred_name: 'Preferred name',
  last_name: 'Last name',
  staff_id: 'Staff id',
} as const;

const readEmployment = (personId: string) => answerOf(client.GET('/people/{personId}/employment', { params: { path: { personId } } }));
const readPerson = (personId: string) => answerOf(client.GET('/people/{personId}', { params: { path: { personId } } }));

/** Terms from a day on: a promotion, a move, other hours. */
export function ChangeTerms({ personId, answer: filledFrom, onDone, onCancel }: FormProperties<Employment>) {
  const [answer] = useState(filledFrom);
  const [terms, setTerms] = useState(() => termsOf(answer.data));
  const [day, setDay] = useState(today);
  const write = useTaggedWrite(
    answer,
    () => readEmployment(personId),
    (input: Partial<Terms> & { start_date: string }, header) =>
      answerOf(client.PATCH('/people/{personId}/employment', { params: { path: { personId }, header }, body: input })),
    () => onDone('The terms are changed.'),
  );
  const changed = changedTerms(termsOf(answer.data), terms);
  return (
    <Form
      title="Change terms"
      explanation="What really changes from a day on. What was recorded by mistake is corrected instead."
      submit="Change terms"
      isReady={Object.keys(changed).length > 0 && day !== ''}
      write={write}
      lost={write.lost === null ? null : termsBetween(write.lost.based, write.lost.current)}
      onSubmit={() => write.send({ ...changed, start_date: day })}
      onCancel={onCancel}
    >
      <DayField label="From" value={day} onChange={setDay} error={issueOf(write.error, 'start_date')} />
      <TermsFields value={terms} managerName={answer.data.manager?.display_name ?? null} onChange={setTerms} error={write.error} />
    </Form>
  );
}

/** A correction: a new fact beside those that stay readable as they were known. */
export function CorrectHistory({ personId, answer: filledFrom, onDone, onCancel }: FormProperties<Employment>) {
  const [answer] = useState(filledFrom);
  const [corrected, setCorrected] = useState<string | null>(null);
  const [day, setDay] = useState(answer.data.effective_from ?? today());
  const [reason, setReason] = useState('');
  const path = { personId };
  const facts = useQuery({
    queryKey: ['people', personId, 'facts'],
    queryFn: () => answerOf(client.GET('/people/{personId}/employment-history', { params: { path, query: { limit: 100 } } })),
  });
  const believed = useQuery({
    queryKey: ['people', personId, 'as of', day],
    queryFn: () => answerOf(client.GET('/people/{personId}/timeline', { params: { path, query: { as_of: day } } })),
    enabled: day !== '',
    placeholderData: keepPreviousData,
  });
  const segment = believed.data?.data.segment ?? null;
  const base = segment === null ? NO_TERMS : termsOf(segment as never);
  const [typed, setTyped] = useState<Partial<Terms>>({});
  const write = useTaggedWrite(
    answer,
    () => readEmployment(personId),
    (input: Partial<Terms> & { start_date: string; correction_reason: string; corrects?: string }, header) =>
      answerOf(client.POST('/people/{personId}/employment-history', { params: { path, header }, body: input })),
    () => onDone('The correction is recorded.'),
  );
  const open = (facts.data?.data ?? []).filter((fact) => fact.corrected_by === null);
  const superseded = open.find(({ fact_id: id }) => id === corrected);
  return (
    <Form
      title="Correct history"
      explanation="Records what should have been recorded. What was known before stays readable, with your reason beside it."
      submit="Record the correction"
      isReady={reason.trim() !== '' && day !== '' && (Object.keys(typed).length > 0 || superseded?.action === 'end')}
      write={write}
      lost={write.lost === null ? null : termsBetween(write.lost.based, write.lost.current)}
      onSubmit={() =>
        write.send({ ...typed, start_date: day, correction_reason: reason, ...(corrected === null ? {} : { corrects: corrected }) })
      }
      onCancel={onCancel}
    >
      <Select
        label="Replaces"
        description="A fact that was wrong as a whole; none for terms that were wrong from a day on."
        clearable
        data={open.map((fact) => ({ value: fact.fact_id, label: factText(fact) }))}
        value={corrected}
        error={issueOf(write.error, 'corrects')}
        onChange={(chosen) => {
          setCorrected(chosen);
          const from = open.find(({ fact_id: id }) => id === chosen)?.effective_from;
          if (from !== null && from !== undefined) setDay(from);
        }}
      />
      <DayField
        label={superseded?.action === 'end' ? 'Final day' : 'In force from'}
        value={day}
        onChange={setDay}
        error={issueOf(write.error, 'start_date')}
      />
      <TermsFields
        value={{ ...base, ...typed }}
        managerName={segment?.manager?.display_name ?? null}
        onChange={(terms) => setTyped(changedTerms(base, terms))}
        error={write.error}
      />
      <Superseded base={base} typed={typed} shown={segment} fact={superseded} />
      <Textarea
        label="Reason"
        required
        autosize
        minRows={2}
        maxLength={1_000}
        value={reason}
        error={issueOf(write.error, 'correction_reason')}
        onChange={({ target }) => setReason(target.value)}
      />
    </Form>
  );
}

interface SupersededProperties {
  readonly base: Terms;
  readonly typed: Partial<Terms>;
  readonly shown: Schemas['SegmentResponse'] | null;
  readonly fact: Fact | undefined;
}

/** What the correction supersedes, before it is sent. */
function Superseded({ base, typed, shown, fact }: SupersededProperties) {
  const names = (Object.keys(typed) as (keyof Terms)[]).filter((name) => typed[name] !== base[name]);
  if (names.length === 0 && fact === undefined) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        This supersedes
      </Text>
      <ul>
        {fact !== undefined && <li>{factText(fact)}</li>}
        {names.map((name) => {
          const field = name.replace(/_id$/, '') as Field;
          return (
            <li key={name}>
              {FIELDS[field]}: <del>{shown === null ? '–' : valueText(field, shown[field])}</del>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The final day of an employment. */
export function EndEmployment({ personId, answer: filledFrom, onDone, onCancel }: FormProperties<Person>) {
  const [answer] = useState(filledFrom);
  const [day, setDay] = useState(today);
  const write = useTaggedWrite(
    answer,
    () => readPerson(personId),
    (input: { end_date: string }, header) =>
      answerOf(client.POST('/people/{personId}/end', { params: { path: { personId }, header }, body: input })),
    () => onDone('The final day is recorded.'),
  );
  return (
    <Form
      title="End employment"
      explanation="The final day is the last one of employment. Time off after it is taken back."
      submit="End employment"
      isReady={day !== ''}
      write={write}
      lost={write.lost === null ? null : personBetween(write.lost.based, write.lost.current)}
      onSubmit={() => write.send({ end_date: day })}
      onCancel={onCancel}
    >
      <DayField label="Final day" value={day} onChange={setDay} error={issueOf(write.error, 'end_date')} />
    </Form>
  );
}

/** Another period of employment of somebody who left. */
export function Rehire({ personId, answer: filledFrom, onDone, onCancel }: FormProperties<Person>) {
  const [answer] = useState(filledFrom);
  const [day, setDay] = useState(today);
  const [terms, setTerms] = useState<Terms>(NO_TERMS);
  const write = useTaggedWrite(
    answer,
    () => readPerson(personId),
    (input: Partial<Terms> & { start_date: string }, header) =>
      answerOf(client.POST('/people/{personId}/reactivate', { params: { path: { personId }, header }, body: input })),
    () => onDone('The new period is recorded.'),
  );
  return (
    <Form
      title="Rehire"
      explanation="A new period inherits no terms: name all that it begins with."
      submit="Rehire"
      isReady={day !== ''}
      write={write}
      lost={write.lost === null ? null : personBetween(write.lost.based, write.lost.current)}
      onSubmit={() => write.send({ ...changedTerms(NO_TERMS, terms), start_date: day })}
      onCancel={onCancel}
    >
      <DayField label="First day" value={day} onChange={setDay} error={issueOf(write.error, 'start_date')} />
      <TermsFields value={terms} managerName={null} onChange={setTerms} error={write.error} />
    </Form>
  );
}

/** Names, address and staff id. */
export function EditIdentity({ personId, answer: filledFrom, onDone, onCancel }: FormProperties<Person>) {
  const [answer] = useState(filledFrom);
  const [values, setValues] = useState(() => identityOf(answer.data));
  const write = useTaggedWrite(
    answer,
    () => readPerson(personId),
    (input: Schemas['UpdatePersonRequest'], header) =>
      answerOf(client.PATCH('/people/{personId}', { params: { path: { personId }, header }, body: input })),
    () => onDone('The change is recorded.'),
  );
  const was = identityOf(answer.data);
  const changed = Object.entries(values).filter(([name, value]) => value !== was[name as keyof typeof IDENTITY]);
  return (
    <Form
      title="Edit identity"
      explanation="Names are not dated: a change shows in the past as well."
      submit="Save"
      isReady={changed.length > 0}
      write={write}
      lost={write.lost === null ? null : personBetween(write.lost.based, write.lost.current)}
      onSubmit={() => write.send(Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? null : value])))}
      onCancel={onCancel}
    >
      {(Object.keys(IDENTITY) as (keyof typeof IDENTITY)[]).map((name) => (
        <TextInput
          key={name}
          label={IDENTITY[name]}
          value={values[name]}
          error={issueOf(write.error, name)}
          onChange={({ target }) => setValues({ ...values, [name]: target.value })}
        />
      ))}
    </Form>
  );
}

interface DialogProperties {
  readonly title: string;
  readonly explanation: string;
  readonly submit: string;
  readonly isReady: boolean;
  readonly write: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly lost: object | null;
    readonly sendAnyway: () => void;
  };
  /** What somebody else changed; undefined while it is read, null where nobody was faster. */
  readonly lost: readonly Difference[] | undefined | null;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

function Form({ title, explanation, submit, isReady, write, lost, onSubmit, onCancel, children }: DialogProperties) {
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog onClose={onCancel} title={title} size="lg">
      <form onSubmit={send}>
        <Stack>
          <Text size="sm" c="dimmed">
            {explanation}
          </Text>
          {lost !== null && <LostRace differences={lost} onSendAnyway={write.sendAnyway} />}
          {write.error !== null && <Failure error={write.error} />}
          {children}
          <FormButtons action={submit} isPending={write.isPending} isDisabled={!isReady} onClose={onCancel} />
        </Stack>
      </form>
    </Dialog>
  );
}

interface DayFieldProperties {
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (day: string) => void;
}

function DayField({ label, value, error, onChange }: DayFieldProperties) {
  return <TextInput type="date" label={label} required value={value} error={error} onChange={({ target }) => onChange(target.value)} />;
}

function termsBetween(based: Employment, current: Employment | undefined): readonly Difference[] | undefined {
  if (current === undefined) return undefined;
  return SHOWN_TERMS.map((field) => ({
    what: FIELDS[field],
    before: valueText(field, based[field]),
    after: valueText(field, current[field]),
  })).filter(({ before, after }) => before !== after);
}

function personBetween(based: Person, current: Person | undefined): readonly Difference[] | undefined {
  if (current === undefined) return undefined;
  const [was, is] = [identityOf(based), identityOf(current)];
  const identity = (Object.keys(IDENTITY) as (keyof typeof IDENTITY)[]).map((name) => ({
    what: IDENTITY[name],
    before: was[name],
    after: is[name],
  }));
  const dates = [
    { what: 'Status', before: based.status ?? '–', after: current.status ?? '–' },
    { what: 'Final day', before: based.end_date ?? '–', after: current.end_date ?? '–' },
  ];
  return [...identity, ...dates].filter(({ before, after }) => before !== after);
}

function identityOf(shown: Person): Readonly<Record<keyof typeof IDENTITY, string>> {
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
  const from = fact.effective_from === null ? 'without a date' : shortDayText(fact.effective_from);
  return `${fact.action} from ${from}, recorded ${shortDayText(fact.recorded_at.slice(0, 10))}`;
}

/** A list of names with values. */
export function Definitions({ rows, label }: { readonly label: string; readonly rows: readonly (readonly [string, ReactNode])[] }) {
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
