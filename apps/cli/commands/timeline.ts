import { namedFields } from '#kernel/json.js';
import type { SegmentResponse, TimelineResponse } from '#people/timeline/employment-shapes.js';
import { presentActors, presentFact } from '#people/timeline/present-employment.js';
import { listFacts } from '#people/timeline/read-facts.js';
import { readTimeline } from '#people/timeline/read-timeline.js';
import { findReferences } from '#people/record/references.js';
import { command } from '../command.js';
import { commandServices } from '../command-context.js';
import { UsageError } from '../command-error.js';
import type { NamedPerson } from '../find-named.js';
import { ALL_ROWS, date, organisation, person, required, text } from '../options.js';
import { orSentence } from '../rejection-sentence.js';
import { tableOf } from '../text-table.js';

type Fact = ReturnType<typeof presentFact> & ReturnType<typeof presentActors>;

/** `workforce timeline PERSON`: a person's employment in valid time and recorded time. */
export const commands = {
  timeline: command({
    arguments: { person: required(person()) },
    options: {
      organisation: organisation('id or subdomain; needed if several organisations have a matching person'),
      as_of: date('only the state in force on this day'),
      known_at: text('<date-time>', 'only the facts recorded by this time', (instant) => {
        if (Number.isNaN(Date.parse(instant)))
          throw new UsageError(`${instant} is not a date-time: --known-at takes ISO 8601.`);
        return new Date(instant).toISOString();
      }),
    },
    run: async ({ person: who, as_of, known_at }, { installation, pool }) => {
      const { organisation_id, person_id: personId, display_name } = who;
      const owner = { organisationId: organisation_id, personId };
      const query = namedFields({ as_of, known_at });
      const { timeline: read } = await orSentence(() => readTimeline(commandServices(installation), owner, query));
      const rows = await listFacts(pool, owner, { before: null, count: ALL_ROWS.count });
      const terms = rows.map((row) => row.terms);
      const references = await findReferences(pool, organisation_id, terms);
      const facts = rows.map((row) => ({ ...presentFact(row, references), ...presentActors(row) })).reverse();
      return { json: { display_name, organisation_id, ...read, facts }, text: described(who, read, facts) };
    },
  }),
};

function described(who: NamedPerson, read: TimelineResponse, facts: readonly Fact[]): string {
  const segments = read.segments ?? (read.segment === null || read.segment === undefined ? [] : [read.segment]);
  const inForce = tableOf<SegmentResponse>(
    {
      FROM: (one) => one.effective_from ?? 'unknown',
      'TO (EXCLUSIVE)': 'effective_to',
      TITLE: (one) => (one.employed ? one.job_title : 'not employed'),
      DEPARTMENT: (one) => (one.employed ? one.department?.name : ''),
      MANAGER: (one) => (one.employed ? one.manager?.display_name : ''),
      FTE: (one) => (one.employed ? one.fte : ''),
      FACT: 'fact_id',
    },
    segments,
  );
  const recorded = tableOf<Fact>(
    {
      VERSION: 'timeline_version',
      RECORDED: 'recorded_at',
      ACTION: (fact) => (fact.withdraws === true ? 'withdrawal' : fact.action),
      EFFECTIVE: (fact) => fact.effective_from ?? 'no date',
      BY: ({ actor, approved_by: approver }) =>
        approver === undefined ? nameOf(actor) : `${nameOf(actor)}, approved by ${nameOf(approver)}`,
      NAMES: namesOf,
      REASON: 'correction_reason',
      FACT: 'fact_id',
      CORRECTS: 'corrects',
    },
    facts,
  );
  return `${who.display_name} (${who.person_id}), timeline version ${read.timeline_version}\n\nIn force\n${inForce}\n\nFacts\n${recorded}`;
}

function nameOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`;
}

function namesOf(fact: Fact): string {
  const named = {
    title: fact.job_title,
    department: fact.department?.name,
    manager: fact.manager?.display_name,
    place: fact.work_place?.label,
    type: fact.work_type?.label,
    pattern: fact.working_pattern?.label,
    contracted: fact.contracted_weekly_minutes,
    'full-time': fact.full_time_weekly_minutes,
  };
  return Object.entries(named)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
