import type { JsonObject } from '#kernel/json.js';
import { isLocalDate } from '#kernel/dates.js';
import type { SegmentResponse, TimelineResponse } from '#people/timeline/employment-shapes.js';
import { presentActors, presentFact } from '#people/timeline/present-employment.js';
import { readTimeline } from '#people/timeline/read-timeline.js';
import { listFacts } from '#people/timeline/read-facts.js';
import { findReferences } from '#people/record/references.js';
import type { Call, Outcome } from '../declaration.js';
import { UsageError } from '../command-error.js';
import { commandServices } from '../command-context.js';
import { withInstallation } from '../installation.js';
import { orSentence } from '../rejection-sentence.js';
import { textTable } from '../text-table.js';
import { type NamedPerson, requireOrganisation, requirePerson } from '../find-named.js';

const ALL_FACTS = 100_000;

/** `workforce timeline`. */
export function showTimeline({ arguments: [who], options }: Call): Promise<Outcome> {
  const query = queryOf(options);
  return withInstallation(async (installation) => {
    const { pool } = installation;
    const organisation =
      options['organisation'] === undefined ? null : await requireOrganisation(pool, options['organisation'] as string);
    const person = await requirePerson(pool, who!, organisation?.id ?? null);
    const owner = { organisationId: person.organisation_id, personId: person.person_id };
    const { timeline } = await orSentence(() => readTimeline(commandServices(installation), owner, query));
    const rows = await listFacts(pool, owner, { before: null, count: ALL_FACTS });
    const references = await findReferences(
      pool,
      owner.organisationId,
      rows.map((row) => row.terms),
    );
    const facts = rows.map((row) => ({ ...presentFact(row, references), ...presentActors(row) })).reverse();
    const json = {
      display_name: person.display_name,
      organisation_id: person.organisation_id,
      ...timeline,
      facts,
    } as unknown as JsonObject;
    return { json, text: described(person, timeline, facts) };
  });
}

function queryOf(options: Call['options']): { as_of?: string; known_at?: string } {
  const day = options['asOf'] as string | undefined;
  const instant = options['knownAt'] as string | undefined;
  if (day !== undefined && !isLocalDate(day)) throw new UsageError(`${day} is not a date: --as-of takes YYYY-MM-DD.`);
  if (instant !== undefined && Number.isNaN(Date.parse(instant)))
    throw new UsageError(`${instant} is not a date-time: --known-at takes ISO 8601.`);
  return {
    ...(day === undefined ? {} : { as_of: day }),
    ...(instant === undefined ? {} : { known_at: new Date(instant).toISOString() }),
  };
}

function described(
  person: NamedPerson,
  timeline: TimelineResponse,
  facts: readonly (ReturnType<typeof presentFact> & ReturnType<typeof presentActors>)[],
): string {
  const segments =
    timeline.segments ?? (timeline.segment === null || timeline.segment === undefined ? [] : [timeline.segment]);
  const inForce = textTable(
    ['FROM', 'TO (EXCLUSIVE)', 'TITLE', 'DEPARTMENT', 'MANAGER', 'FTE', 'FACT'],
    segments.map((segment) => [
      segment.effective_from ?? 'unknown',
      segment.effective_to ?? '',
      ...cells(segment),
      segment.fact_id,
    ]),
  );
  const recorded = textTable(
    ['VERSION', 'RECORDED', 'ACTION', 'EFFECTIVE', 'BY', 'NAMES', 'REASON', 'FACT', 'CORRECTS'],
    facts.map((fact) => [
      String(fact.timeline_version),
      fact.recorded_at,
      fact.withdraws === true ? 'withdrawal' : fact.action,
      fact.effective_from ?? 'no date',
      fact.approved_by === undefined
        ? nameOf(fact.actor)
        : `${nameOf(fact.actor)}, approved by ${nameOf(fact.approved_by)}`,
      namesOf(fact),
      fact.correction_reason ?? '',
      fact.fact_id,
      fact.corrects ?? '',
    ]),
  );
  return `${person.display_name} (${person.person_id}), timeline version ${timeline.timeline_version}\n\nIn force\n${inForce}\n\nFacts\n${recorded}`;
}

function nameOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`;
}

function cells(segment: SegmentResponse): readonly string[] {
  if (!segment.employed) return ['not employed', '', '', ''];
  return [
    segment.job_title ?? '',
    segment.department?.name ?? '',
    segment.manager?.display_name ?? '',
    segment.fte === null ? '' : String(segment.fte),
  ];
}

function namesOf(fact: ReturnType<typeof presentFact>): string {
  const { job_title: title, department, manager, work_place: place, work_type: type, working_pattern: pattern } = fact;
  const named = {
    title,
    department: department?.name,
    manager: manager?.display_name,
    place: place?.label,
    type: type?.label,
    pattern: pattern?.label,
  };
  const minutes = { contracted: fact.contracted_weekly_minutes, 'full-time': fact.full_time_weekly_minutes };
  return Object.entries({ ...named, ...minutes })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
