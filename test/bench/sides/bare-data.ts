import type { Pool } from 'pg';
import { BARE_TABLES, incompressible, tablesFor } from '../children/bare-statements.js';
import type { BareSettings } from '../children/bare-server.js';
import { rowLength } from './product-data.js';
import type { Listed } from './walks.js';

/** What the bare server's tables are filled with. */
export interface BareContents {
  readonly organisationId: string;
  readonly people: readonly Listed[];
  readonly timeOff: readonly Listed[];
  readonly writes: BareSettings['writes'];
}

const BATCH = 5_000;
/** Longer rows would be moved out of the table, which the product's rows of that length are not. */
const LONGEST_ROW = 1_900;

/** Makes the bare server's tables from what the product answers and from its rows of beliefs. */
export async function fillBareTables(product: Pool, bare: Pool, { organisationId, people, timeOff, writes }: BareContents): Promise<void> {
  const { patch, person, timeOff: timeOffRecord } = writes;
  await bare.query(
    [BARE_TABLES, tablesFor('patch', patch), tablesFor('person', person), tablesFor('time_off_record', timeOffRecord)].join('\n'),
  );
  await insert(bare, people, await rowLength(product, 'people'), {
    text: `insert into people (organisation_id, person_id, created_at, body, filler)
           select $1, id, place::timestamptz, body, left($2, greatest(0, $3 - length(body))) from unnest($4::text[], $5::text[], $6::text[]) as r (id, place, body)`,
    organisationId,
  });
  // Some records belong to two quarters.
  await insert(bare, timeOff, await rowLength(product, 'time_off'), {
    text: `insert into time_off (organisation_id, id, start_date, body, filler)
           select $1, id, place::date, body, left($2, greatest(0, $3 - length(body))) from unnest($4::text[], $5::text[], $6::text[]) as r (id, place, body)
           on conflict do nothing`,
    organisationId,
  });
  await copySearches(product, bare, organisationId);
  await bare.query('insert into spellings select * from searches');
  await copyBeliefs(product, bare, organisationId);
  await bare.query('vacuum analyze');
  await bare.query('checkpoint');
}

async function insert(
  bare: Pool,
  listed: readonly Listed[],
  length: number,
  { text, organisationId }: { readonly text: string; readonly organisationId: string },
): Promise<void> {
  const longest = Math.min(LONGEST_ROW, Math.round(length));
  const filler = incompressible(LONGEST_ROW);
  for (let first = 0; first < listed.length; first += BATCH) {
    const some = listed.slice(first, first + BATCH);
    const values = [organisationId, filler, longest, some.map(({ id }) => id), some.map(({ place }) => place), some.map((row) => row.text)];
    await bare.query(text, values);
  }
}

async function copySearches(product: Pool, bare: Pool, organisationId: string): Promise<void> {
  const { rows } = await product.query<{ person_id: string; name_key: string; search_text: string }>(
    'select person_id, name_key, search_text from people where organisation_id = $1 and identity_revision is not null',
    [organisationId],
  );
  for (let first = 0; first < rows.length; first += BATCH) {
    const some = rows.slice(first, first + BATCH);
    await bare.query(
      'insert into searches select $1, person_id, name_key, search_text from unnest($2::text[], $3::text[], $4::text[]) as r (person_id, name_key, search_text)',
      [organisationId, some.map((row) => row.person_id), some.map((row) => row.name_key), some.map((row) => row.search_text)],
    );
  }
}

async function copyBeliefs(product: Pool, bare: Pool, organisationId: string): Promise<void> {
  const { rows } = await product.query<{
    person_id: string;
    valid_from: string | null;
    valid_to: string | null;
    is_known: boolean;
    body: string;
  }>(
    `select person_id, lower(valid)::text as valid_from, upper(valid)::text as valid_to, upper_inf(known) as is_known,
            json_build_object('fact_id', fact_id, 'employed', employed, 'job_title', job_title, 'department_id', department_id, 'manager_id', manager_id,
              'work_place_id', work_place_id, 'work_type_id', work_type_id, 'working_pattern_id', working_pattern_id,
              'contracted_weekly_minutes', contracted_weekly_minutes, 'full_time_weekly_minutes', full_time_weekly_minutes)::text as body
       from employment_beliefs where organisation_id = $1`,
    [organisationId],
  );
  const length = Math.round(await rowLength(product, 'employment_beliefs'));
  for (let first = 0; first < rows.length; first += BATCH) {
    const some = rows.slice(first, first + BATCH);
    await bare.query(
      `insert into beliefs select $1, person_id, valid_from, valid_to, is_known, body, left($2, greatest(0, $3 - length(body)))
         from unnest($4::text[], $5::date[], $6::date[], $7::boolean[], $8::text[]) as r (person_id, valid_from, valid_to, is_known, body)`,
      [
        organisationId,
        incompressible(LONGEST_ROW),
        length,
        some.map((row) => row.person_id),
        some.map((row) => row.valid_from),
        some.map((row) => row.valid_to),
        some.map((row) => row.is_known),
        some.map((row) => row.body),
      ],
    );
  }
}
