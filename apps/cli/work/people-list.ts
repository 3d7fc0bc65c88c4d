import type { Pool } from 'pg';
import type { Json } from '#kernel/json.js';
import type { PersonResponse } from '#people/record/people-shapes.js';
import { presentPerson } from '#people/record/present-people.js';
import { findPerson, type ListedPerson, listPeople as readPeople } from '#people/record/read-people.js';
import type { Call, Outcome } from '../declaration.js';
import { withInstallation } from '../installation.js';
import { limitOf, moreThan } from '../options.js';
import { textTable } from '../text-table.js';
import { requireUnit } from './org-units.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

const ROWS_AT_ONCE = 500;

/** `workforce people list`: those who match, in the order of creation. */
export function listPeople({ options }: Call): Promise<Outcome> {
  const limit = limitOf(options);
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const unit =
      options['department'] === undefined
        ? null
        : await requireUnit(pool, organisationId, options['department'] as string);
    const matches = matcherOf(options, unit?.id ?? null);
    const people: PersonResponse[] = [];
    let isMore = false;
    for await (const person of everybody(pool, organisationId)) {
      if (!matches(person)) continue;
      isMore = people.length === limit;
      if (isMore) break;
      people.push(person);
    }
    const rows = people.map((one) => [
      one.id,
      one.display_name,
      one.work_email ?? '',
      one.job_title ?? '',
      one.department?.name ?? '',
      one.status ?? '',
      one.start_date ?? '',
      one.end_date ?? '',
    ]);
    const table = textTable(['ID', 'NAME', 'E-MAIL', 'TITLE', 'DEPARTMENT', 'STATUS', 'START', 'END'], rows);
    const rest = isMore ? moreThan(limit, 'person', 'people') : '';
    return { json: { people: people as unknown as Json, has_more: isMore }, text: `${table}${rest}` };
  });
}

/** `workforce people show`. */
export function showPerson({ arguments: [who], options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const named =
      options['organisation'] === undefined ? null : await requireOrganisation(pool, options['organisation'] as string);
    const found = await requirePerson(pool, who!, named?.id ?? null);
    const person = presentPerson((await findPerson(pool, found.organisation_id, found.person_id))!);
    const lines: readonly (readonly [string, string | number | null | undefined])[] = [
      ['Name', person.display_name],
      ['Id', person.id],
      ['E-mail', person.work_email],
      ['Staff id', person.staff_id],
      ['Status', person.status],
      [
        'Employed',
        `${person.start_date ?? 'since an unknown day'}${person.end_date === null ? '' : ` to ${person.end_date}`}`,
      ],
      ['Title', person.job_title],
      ['Department', person.department?.name],
      ['Manager', person.manager?.display_name],
      ['Work place', person.work_place?.label],
      ['Work type', person.work_type?.label],
      ['Working pattern', person.working_pattern?.label],
      ['FTE', person.fte],
      ['Changed', person.updated_at],
    ];
    const known = lines.filter(([, value]) => value !== null && value !== undefined);
    const text = `${known.map(([name, value]) => `${name.padEnd(17)}${value}`).join('\n')}\n\nworkforce timeline ${person.id} shows the employment over time.`;
    return { json: person as unknown as Json, text };
  });
}

async function* everybody(pool: Pool, organisationId: string): AsyncGenerator<PersonResponse> {
  let after: { time: string; id: string } | null = null;
  for (;;) {
    const page: readonly ListedPerson[] = await readPeople(pool, {
      organisationId,
      order: 'creation',
      since: null,
      horizon: null,
      after,
      count: ROWS_AT_ONCE,
    });
    for (const { person } of page) yield presentPerson(person);
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_AT_ONCE) return;
    after = { time: last.time.toISOString(), id: last.id };
  }
}

function matcherOf(options: Call['options'], unitId: string | null): (person: PersonResponse) => boolean {
  const status = options['status'] as string | undefined;
  const requested = (options['search'] as string | undefined)?.toLowerCase();
  return (person) =>
    (status === undefined || person.status === status) &&
    (unitId === null || person.department?.id === unitId) &&
    (requested === undefined ||
      [person.display_name, person.work_email, person.staff_id ?? ''].some((text) =>
        text.toLowerCase().includes(requested),
      ));
}
