import type { Statement } from '#database/transaction.js';
import { WrittenJson } from '#http/fields/serialise.js';
import type { Executor } from '#projections/projection.js';
import { NAMES_VERSION } from '../../naming/reference-versions.js';
import { EXISTS, ORDERS, type PeoplePage, type PersonRow } from './people.queries.js';
import { type PersonTexts, personJson } from './person-text.js';
import { type ReferenceNames, ReferenceNamesCache, versionOf } from './reference-names.js';

/** What a person's entity tag is made of, the names of other resources apart. */
export type TaggedRow = Pick<PersonRow, 'identity_revision' | 'employment_revision' | 'fact_id'>;

/** A person's JSON, written when they were projected, with the JSON of what they refer to (`PersonJson`). */
export interface WrittenText {
  readonly json: WrittenJson;
  readonly references: string;
}

/** A person as answers show them, with what their entity tag is made of. */
export interface WrittenPerson extends TaggedRow, WrittenText {}

/** The same of a list, with the person's place in its order. */
export interface WrittenPersonOfList {
  readonly json: WrittenJson;
  readonly id: string;
  readonly time: Date;
  readonly horizon: Date | null;
}

/** A row of {@link TEXTS}. */
export interface TextRow extends PersonTexts {
  readonly names_version: number | null;
}

/** What a person's JSON is put together from: a row of thirty columns and five joins costs ten times as much. */
const TEXTS = `p.identity_text, p.employment_text, p.effect_updated_at, ${NAMES_VERSION} as names_version,
  (select m.display_name from people m where m.organisation_id = $1 and m.person_id = p.manager_id) as manager_name`;

const READ = `select p.identity_revision, p.employment_revision, p.fact_id, ${TEXTS} from people p where ${EXISTS} and p.person_id = $2`;

/** A person's texts, what their entity tag is made of, and the key of their personal data as it is stored: null after erasure. */
export interface PersonWithKey extends TaggedRow, TextRow {
  readonly person_key: Buffer | null;
}

const READ_WITH_KEY = `select p.identity_revision, p.employment_revision, p.fact_id, ${TEXTS},
  (select k.key from person_keys k where k.organisation_id = $1 and k.person_id = $2) as person_key from people p where ${EXISTS} and p.person_id = $2`;

/** Reads the {@link PersonWithKey} of an id; no row where this organisation has none. */
export function personWithKey(organisationId: string, personId: string): Statement {
  return { name: 'read-person-with-key', text: READ_WITH_KEY, values: [organisationId, personId] };
}

/** Reads people as answers show them; one for each pool, for it keeps names of what people refer to. */
export class PeopleReader {
  private readonly names: ReferenceNamesCache;

  constructor(private readonly executor: Executor) {
    this.names = new ReferenceNamesCache(executor);
  }

  /** The person, ready to be sent; null where this organisation has none of this id. */
  async read(organisationId: string, personId: string): Promise<WrittenPerson | null> {
    const values = [organisationId, personId];
    const { rows } = await this.executor.query<TextRow & TaggedRow>({ name: 'read-person', text: READ, values });
    const row = rows[0];
    if (row === undefined) return null;
    const { identity_revision, employment_revision, fact_id } = row;
    const { json, references } = writtenWith(await this.namesOf(organisationId, row), row);
    return { identity_revision, employment_revision, fact_id, json, references };
  }

  /** A page of people, ready to be sent, and the mark up to which a sync that starts now reads. */
  async list(page: PeoplePage): Promise<readonly WrittenPersonOfList[]> {
    const { rows } = await this.executor.query<TextRow & Pick<WrittenPersonOfList, 'time' | 'horizon'> & { readonly person_id: string }>(
      listQuery(page),
    );
    if (rows.length === 0) return [];
    const names = await this.namesOf(page.organisationId, rows[0]!);
    return rows.map((row) => ({ id: row.person_id, time: row.time, horizon: row.horizon, json: writtenWith(names, row).json }));
  }

  /** A person whose texts were read, or made, elsewhere. */
  async write(organisationId: string, row: TextRow): Promise<WrittenText> {
    return writtenWith(await this.namesOf(organisationId, row), row);
  }

  private namesOf(organisationId: string, row: TextRow): ReferenceNames | Promise<ReferenceNames> {
    return this.names.at(organisationId, versionOf(row.names_version));
  }
}

function writtenWith({ json }: ReferenceNames, row: TextRow): WrittenText {
  const { text, references } = personJson(row, (reference) => json.get(reference));
  return { json: new WrittenJson(text), references };
}

function listQuery(page: PeoplePage): Statement {
  const { column, comparison, direction } = ORDERS[page.order];
  const values: unknown[] = [page.organisationId, page.count];
  const conditions = [EXISTS];
  if (page.since !== null) conditions.push(`p.sync_mark >= $${values.push(page.since)}`);
  if (page.horizon !== null) conditions.push(`p.sync_mark <= $${values.push(page.horizon)}`);
  if (page.after !== null) {
    conditions.push(`(p.${column}, p.person_id) ${comparison} ($${values.push(page.after.time)}, $${values.push(page.after.id)})`);
  }
  const horizon =
    page.order === 'change' && page.horizon === null
      ? `(select high_water from sync_marks where organisation_id = $1 and resource = 'people')`
      : 'null::timestamptz';
  const text = `select p.person_id, p.${column} as time, ${horizon} as horizon, ${TEXTS} from people p
    where ${conditions.join(' and ')} order by p.${column} ${direction}, p.person_id ${direction} limit $2`;
  const shape = [page.order, page.since !== null, page.horizon !== null, page.after !== null].join('-');
  return { name: `list-people-${shape}`, text, values };
}
