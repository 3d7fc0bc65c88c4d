import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Answer, answerOf } from '@workforce-hr/client';
import i18next, { type CustomTypeOptions } from 'i18next';
import { useTranslation } from 'react-i18next';
import { client, type Person } from '../../data/client.js';
import { plusDays, shortDayText, today } from '../../data/days.js';
import { useDraft } from '../../data/use-draft.js';
import { issueOf } from '../../data/issue-of.js';
import { Failure, Loading } from '../../ui/states.js';
import { isWithdrawal } from '../../data/beliefs.js';
import { CorrectionReason } from './correction-reason.js';
import { BeforeAndAfter, useChangesPreview } from './preview.js';
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
import { personBetween, readPerson } from './identity-changes.js';
import { changesBetween } from './lost-terms.js';
import { segmentOn } from './standing.js';
import { TermsFields } from './terms-form.js';
import type { JustRecorded } from './use-undo-of-fact.js';
import { useBased, useTaggedWrite } from '../../data/use-tagged-write.js';

interface FormProperties<Resource> {
  readonly personId: string;
  /**
   * The initial data of an opened form. Later reads change neither its content nor the entity tag, except
   * after a conflict.
   */
  readonly answer: Answer<{ readonly data: Resource }>;
  /** Called with the fact that can be undone, if there is one. */
  readonly onDone: (message: string, recorded?: JustRecorded) => void;
  readonly onCancel: () => void;
}

type Timeline = History['data'];

const NO_NAMES: ReadonlyMap<string, string> = new Map();

type FactAction = keyof CustomTypeOptions['resources']['person']['fact']['actions'];

const segmentsOf = ({ segments = [] }: Timeline) => segments;

interface ChangeDraft {
  /** Terms that differ from those in force. */
  readonly typed: Partial<Terms>;
  /** `YYYY-MM-DD`; empty while it is typed. */
  readonly day: string;
}

interface CorrectionDraft extends ChangeDraft {
  /** The fact that is replaced; null for none. */
  readonly chosen: string | null;
  readonly reason: string;
}

/** Terms from a day on: a promotion, a move, other hours. */
export function ChangeTerms({ personId, answer, onDone, onCancel }: FormProperties<Timeline>) {
  const { t } = useTranslation('person');
  const based = useBased(answer, () => readHistory(personId));
  const segments = segmentsOf(based.answer.data);
  const draft = useDraft<ChangeDraft>(`change.${personId}`, { typed: {}, day: today() });
  const { typed, day } = draft.content;
  const believed = termsOn(segments, day);
  const shown = { ...believed, ...typed };
  const changed = changedTerms(believed, shown);
  const body = day !== '' && Object.keys(changed).length > 0 ? { ...changed, start_date: day } : null;
  const preview = useChangesPreview('changeEmployment', personId, based, body);
  const write = useTaggedWrite(
    based,
    (input: Partial<Terms> & { start_date: string }, header) =>
      answerOf(client.PATCH('/people/{personId}/employment', { params: { path: { personId }, header }, body: input })),
    () => {
      draft.discard();
      onDone(t('change.done'), { action: 'change', effective_from: day });
    },
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title={t('change.title')}
      explanation={t('change.explanation')}
      submit={t('change.title')}
      isReady={preview.isShown}
      isPending={write.isPending}
      error={error}
      lost={based.overtaken === null ? null : changesBetween(based.overtaken, based.answer.data, day)}
      draft={draft}
      onSubmit={() => body !== null && write.send(body)}
      onCancel={onCancel}
    >
      <DayField
        label={t('change.from')}
        value={day}
        onChange={(from) => draft.change({ day: from })}
        error={issueOf(error, 'start_date')}
      />
      <TermsFields
        value={shown}
        names={namesOf(segments)}
        onChange={(terms) => draft.change({ typed: { ...typed, ...changedTerms(shown, terms) } })}
        error={error}
      />
      <BeforeAndAfter of={preview} />
    </Form>
  );
}

interface CorrectHistoryProperties extends FormProperties<Timeline> {
  /** The fact that the form replaces at first; absent for none. */
  readonly factId?: string | undefined;
}

/** A correction: a new fact; superseded ones stay readable as they were known. */
export function CorrectHistory(properties: CorrectHistoryProperties) {
  const { t } = useTranslation('person');
  const { personId } = properties;
  const facts = useQuery({ queryKey: ['people', personId, 'facts'], queryFn: () => readFacts(personId) });
  if (facts.isError) return <Failure error={facts.error} onRetry={() => void facts.refetch()} />;
  if (facts.isPending) return <Loading of={t('correct.reading')} />;
  return <Correction {...properties} facts={facts.data} />;
}

function Correction({
  personId,
  answer,
  facts,
  factId,
  onDone,
  onCancel,
}: CorrectHistoryProperties & { readonly facts: readonly Fact[] }) {
  const { t } = useTranslation('person');
  const based = useBased(answer, () => readHistory(personId));
  const segments = segmentsOf(based.answer.data);
  // A withdrawal is itself withdrawn, on the timeline, not replaced.
  const open = facts.filter((one) => one.corrected_by === null && !isWithdrawal(one));
  const dayOfFact = (id: string | null) => open.find(({ fact_id: one }) => one === id)?.effective_from ?? null;
  const draft = useDraft<CorrectionDraft>(`correct.${personId}.${factId ?? ''}`, {
    chosen: factId ?? null,
    // Wrong terms were mostly wrong from their first day on.
    day: dayOfFact(factId ?? null) ?? segmentOn(segments, today())?.effective_from ?? today(),
    typed: {},
    reason: '',
  });
  const { chosen, day, typed, reason } = draft.content;
  const fact = open.find(({ fact_id: id }) => id === chosen);
  const corrected: Corrected | null = fact === undefined ? null : { fact, kind: kindOf(fact, facts) };
  const isEnd = corrected?.kind === 'end';
  const shown = { ...filledTerms(segments, day, corrected), ...(isEnd ? {} : typed) };
  const sent = sentTerms(segments, day, corrected, shown);
  const isDifferent = corrected === null ? Object.keys(sent).length > 0 : differsFrom(corrected, day, sent);
  const fields = { ...sent, start_date: day, ...(fact === undefined ? {} : { corrects: fact.fact_id }) };
  const isReady = day !== '' && isDifferent;
  // The preview does not depend on the reason.
  const preview = useChangesPreview(
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
    () => {
      draft.discard();
      onDone(t('correct.done'), { action: 'correction', effective_from: day });
    },
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title={t('correct.title')}
      explanation={t('correct.explanation')}
      submit={t('correct.submit')}
      isReady={preview.isShown && reason.trim() !== ''}
      isPending={write.isPending}
      error={error}
      lost={based.overtaken === null ? null : changesBetween(based.overtaken, based.answer.data, day)}
      draft={draft}
      onSubmit={() => write.send({ ...fields, correction_reason: reason.trim() })}
      onCancel={onCancel}
    >
      <Select
        label={t('correct.replaces')}
        description={t('correct.replacesHint')}
        clearable
        data={open.map((one) => ({ value: one.fact_id, label: factText(one) }))}
        value={chosen}
        error={issueOf(error, 'corrects')}
        onChange={(id) => {
          draft.change({ chosen: id, typed: {}, day: dayOfFact(id) ?? day });
        }}
      />
      <DayField
        label={isEnd ? t('finalDay') : t('correct.inForceFrom')}
        value={day}
        onChange={(from) => draft.change({ day: from })}
        error={issueOf(error, 'start_date')}
      />
      {!isEnd && (
        <TermsFields
          value={shown}
          names={namesOf([...segments, ...facts])}
          onChange={(terms) => draft.change({ typed: { ...typed, ...changedTerms(shown, terms) } })}
          error={error}
        />
      )}
      <BeforeAndAfter of={preview} />
      <CorrectionReason value={reason} error={error} onChange={(text) => draft.change({ reason: text })} />
    </Form>
  );
}

/** The final day of an employment. */
export function EndEmployment({ personId, answer, onDone, onCancel }: FormProperties<Person>) {
  const { t } = useTranslation('person');
  const based = useBased(answer, () => readPerson(personId));
  const draft = useDraft(`end.${personId}`, { day: today() });
  const { day } = draft.content;
  const body = day === '' ? null : { end_date: day };
  const preview = useChangesPreview('endPerson', personId, based, body);
  const write = useTaggedWrite(
    based,
    (input: { end_date: string }, header) =>
      answerOf(client.POST('/people/{personId}/end', { params: { path: { personId }, header }, body: input })),
    () => {
      draft.discard();
      onDone(t('end.done'), { action: 'end', effective_from: day });
    },
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title={t('end.title')}
      explanation={t('end.explanation')}
      submit={t('end.title')}
      isReady={preview.isShown}
      isPending={write.isPending}
      error={error}
      lost={personBetween(based.overtaken, based.answer.data)}
      draft={draft}
      onSubmit={() => body !== null && write.send(body)}
      onCancel={onCancel}
    >
      <DayField
        label={t('finalDay')}
        value={day}
        onChange={(final) => draft.change({ day: final })}
        error={issueOf(error, 'end_date')}
      />
      <BeforeAndAfter of={preview} />
    </Form>
  );
}

interface RehireDraft {
  readonly day: string;
  readonly terms: Terms;
}

/** Another period of employment of a person who left. */
export function Rehire({ personId, answer, onDone, onCancel }: FormProperties<Person>) {
  const { t } = useTranslation('person');
  const based = useBased(answer, () => readPerson(personId));
  const { end_date: finalDay } = based.answer.data;
  const earliest = finalDay === null ? undefined : plusDays(finalDay, 1);
  const draft = useDraft<RehireDraft>(`rehire.${personId}`, {
    day: earliest !== undefined && earliest > today() ? earliest : today(),
    terms: NO_TERMS,
  });
  const { day, terms } = draft.content;
  const body = day === '' ? null : { ...changedTerms(NO_TERMS, terms), start_date: day };
  const preview = useChangesPreview('reactivatePerson', personId, based, body);
  const write = useTaggedWrite(
    based,
    (input: Partial<Terms> & { start_date: string }, header) =>
      answerOf(client.POST('/people/{personId}/reactivate', { params: { path: { personId }, header }, body: input })),
    () => {
      draft.discard();
      onDone(t('rehire.done'), { action: 'reactivate', effective_from: day });
    },
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title={t('rehire.title')}
      explanation={t('rehire.explanation')}
      submit={t('rehire.title')}
      isReady={preview.isShown}
      isPending={write.isPending}
      error={error}
      lost={personBetween(based.overtaken, based.answer.data)}
      draft={draft}
      onSubmit={() => body !== null && write.send(body)}
      onCancel={onCancel}
    >
      <DayField
        label={t('firstDay')}
        value={day}
        min={earliest}
        onChange={(chosen) => draft.change({ day: chosen })}
        error={issueOf(error, 'start_date')}
      />
      <TermsFields value={terms} names={NO_NAMES} onChange={(typed) => draft.change({ terms: typed })} error={error} />
      <BeforeAndAfter of={preview} />
    </Form>
  );
}

function factText({ action: kind, effective_from: day, job_title: title, recorded_at: recorded }: Fact): string {
  const action = i18next.t(`person:fact.actions.${kind as FactAction}`);
  const words = day === null ? 'undated' : kind === 'end' ? 'on' : 'from';
  const fact = i18next.t(`person:fact.${words}`, { action, day: day === null ? '' : shortDayText(day) });
  return i18next.t('person:fact.recorded', {
    fact: typeof title === 'string' ? `${fact} (${title})` : fact,
    day: shortDayText(recorded.slice(0, 10)),
  });
}
