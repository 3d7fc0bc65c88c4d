import type { Executor } from '#projections/projection.js';
import { ofAnyLength, type Statement } from '#database/transaction.js';
import { WrittenJson } from '#kernel/json.js';
import { GatheredReads } from '../../listing/gathered-reads.js';
import {
  firstRows,
  KeptTexts,
  type ListedText,
  mostRowsFor,
  type PageVersions,
  selectVersions,
  timeOfText,
} from '../../listing/kept-texts.js';
import { tagWithNames } from '../../naming/tag-with-names.js';
import { NAMES_VERSION } from '../../naming/reference-versions.js';
import {
  type NamedReferences,
  personJson,
  type PersonTexts,
  type ReferenceNames,
  ReferenceNamesCache,
  referencesOf,
  versionOf,
} from './person-text.js';

/** A row of `people` with the current names of the resources that it refers to. Times are JS Dates, dates `YYYY-MM-DD`. */
export interface PersonRow {
  readonly person_id: string;
  readonly identity_revision: number;
  readonly work_email: string;
  readonly first_name: string | null;
  readonly preferred_name: string | null;
  readonly last_name: string | null;
  readonly display_name: string;
  readonly staff_id: string | null;
  readonly created_at: Date;
  readonly identity_updated_at: Date;
  readonly employment_revision: number;
  readonly next_change_on: string | null;
  readonly status: string;
  /** The first day of the period whose terms are shown. */
  readonly start_date: string | null;
  readonly end_date: string | null;
  /** The first day of a later period, recorded after that one; null where there is none. */
  readonly coming_start_date: string | null;
  readonly coming_end_date: string | null;
  readonly fact_id: string;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly job_title: string | null;
  readonly department_id: string | null;
  readonly department_name: string | null;
  readonly manager_id: string | null;
  readonly manager_name: string | null;
  readonly work_place_id: string | null;
  readonly work_place_label: string | null;
  readonly work_type_id: string | null;
  readonly work_type_label: string | null;
  readonly working_pattern_id: string | null;
  readonly working_pattern_label: string | null;
  readonly contracted_weekly_minutes: number | null;
  readonly full_time_weekly_minutes: number | null;
  readonly fte: number | null;
  readonly employment_updated_at: Date;
  /** The revision of the stream of days on which a dated change took effect; null where none did. */
  readonly effect_revision: number | null;
  readonly effect_updated_at: Date | null;
  readonly updated_at: Date;
  readonly sync_mark: Date;
}

const COLUMNS = `
  p.person_id, p.identity_revision, p.work_email, p.first_name, p.preferred_name, p.last_name, p.display_name, p.staff_id,
  p.created_at, p.identity_updated_at, p.employment_revision, p.next_change_on, p.status, p.start_date, p.end_date,
  p.coming_start_date, p.coming_end_date, p.fact_id,
  p.effective_from, p.effective_to, p.job_title, p.department_id, d.name as department_name, p.manager_id,
  m.display_name as manager_name, p.work_place_id, w.label as work_place_label, p.work_type_id, t.label as work_type_label,
  p.working_pattern_id, k.label as working_pattern_label, p.contracted_weekly_minutes, p.full_time_weekly_minutes, p.fte,
  p.employment_updated_at, p.effect_revision, p.effect_updated_at, p.updated_at, p.sync_mark`;

/** Joins the current names of the resources that the row refers to. */
const NAMES = `
  left join org_units d on d.organisation_id = p.organisation_id and d.id = p.department_id
  left join people m on m.organisation_id = p.organisation_id and m.person_id = p.manager_id
  left join work_places w on w.organisation_id = p.organisation_id and w.id = p.work_place_id
  left join work_types t on t.organisation_id = p.organisation_id and t.id = p.work_type_id
  left join working_patterns k on k.organisation_id = p.organisation_id and k.id = p.working_pattern_id`;

/** For queries whose first value is the organisation. */
export const EXISTS = 'p.organisation_id = $1 and p.identity_revision is not null';

const FIND = `select ${COLUMNS} from people p ${NAMES} where ${EXISTS} and p.person_id = $2`;

/** The person; null where this organisation has none with this id. */
export async function findPerson(executor: Executor, organisationId: string, personId: string): Promise<PersonRow | null> {
  const { rows } = await executor.query<PersonRow>({ name: 'find-person', text: FIND, values: [organisationId, personId] });
  return rows[0] ?? null;
}

/** Where a page of people begins, and in which order it runs. */
export interface PeoplePage {
  readonly organisationId: string;
  /** `creation`; `change` (with `since`: in the order of marks); `latest` (most recently updated first). */
  readonly order: 'creation' | 'change' | 'latest';
  /** Inclusive, ISO 8601; null for no lower bound. */
  readonly since: string | null;
  /** Marks after this one are left for the next sync, so that a sync ends while writes go on; null for the first page. */
  readonly horizon: string | null;
  /** The last row of the page before: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

/** The columns of each order of a list. */
export const ORDERS = {
  creation: { column: 'created_at', comparison: '>', direction: 'asc' },
  change: { column: 'sync_mark', comparison: '>', direction: 'asc' },
  latest: { column: 'updated_at', comparison: '<', direction: 'desc' },
} as const;

/**
 * The entity tag of a person: the revisions of both streams, what is in force (which may change without an event), and the names of the
 * referenced resources (which change separately). `references`: `PersonJson.references` of the same moment.
 */
export function personTag(row: TaggedRow, references: string): string {
  return tagWithNames(`p${row.identity_revision}.e${row.employment_revision}.${inForceMark(row)}`, references);
}

/** The same for a row with joined names. */
export function personRowTag(row: PersonRow): string {
  return personTag(row, referencesOf(row));
}

/**
 * The entity tag of an employment: the timeline's version, what is in force (contract part 3), and the names of the resources that it
 * refers to.
 */
export function employmentTag(row: Omit<TaggedRow, 'identity_revision'> & NamedReferences): string {
  return tagWithNames(`t${row.employment_revision + 1}.${inForceMark(row)}`, referencesOf(row));
}

/**
 * Enough of a fact's id to distinguish it from any other of the person, and the changes that have taken effect: the day after a final day moves
 * `updated_at`, and the same fact stays in force.
 */
function inForceMark({ fact_id, effect_revision }: Pick<PersonRow, 'fact_id' | 'effect_revision'>): string {
  const fact = fact_id.slice(3, 11);
  return effect_revision === null ? fact : `${fact}.${effect_revision}`;
}

/** The parts of a person's entity tag, except the names of other resources. */
export type TaggedRow = Pick<PersonRow, 'identity_revision' | 'employment_revision' | 'fact_id' | 'effect_revision'>;

/** A person's JSON, written when the row was projected, with the JSON of its references (`PersonJson`). */
export interface WrittenText {
  readonly json: WrittenJson;
  readonly references: string;
}

/** A person as responses show them, with the parts of their entity tag. */
export interface WrittenPerson extends TaggedRow, WrittenText {}

/** A row of {@link TEXTS}. */
export interface TextRow extends PersonTexts {
  readonly names_version: number | null;
}

/** SQL of the present name of a manager, for statements whose first value is the organisation. */
function managerName(id: string): string {
  return `(select m.display_name from people m where m.organisation_id = $1 and m.person_id = ${id})`;
}

/**
 * The columns of a {@link TextRow}, from which a person's JSON is assembled: a row of thirty columns and five joins costs ten times as much.
 *
 * @param managerId - a column: whose name is read with them
 */
export function textsWith(managerId: string): string {
  return `p.identity_text, p.employment_text, p.effect_updated_at, ${NAMES_VERSION} as names_version, ${managerName(managerId)} as manager_name`;
}

/** {@link textsWith} the present manager. */
export const TEXTS = textsWith('p.manager_id');

/** SQL of `TextVersion.row` of a person who is shown with this manager. */
export function rowVersion(managerId: string): string {
  return `p.xmin::text || '.' || p.identity_revision || '.' || coalesce(p.employment_revision, -1) || coalesce('=' || ${managerName(managerId)}, '')`;
}

/** The columns of a {@link TaggedRow}. */
const TAGGED = 'p.identity_revision, p.employment_revision, p.fact_id, p.effect_revision';

const ROW_VERSION = rowVersion('p.manager_id');

const READ = `select p.person_id, ${TAGGED}, ${TEXTS} from people p where ${EXISTS}`;
const READ_ONE: Omit<Statement, 'values'> = { name: 'read-person', text: `${READ} and p.person_id = $2` };
const READ_SOME: Omit<Statement, 'values'> = {
  name: 'read-people',
  text: `${READ} and p.person_id = any(${ofAnyLength('$2::text[]')}::text[])`,
};

interface TaggedTextRow extends TextRow, TaggedRow {
  readonly person_id: string;
}

/** A person's texts, the parts of their entity tag, and the stored key of their personal data: null after erasure. */
export interface PersonWithKey extends TaggedRow, TextRow {
  readonly person_key: Buffer | null;
}

const READ_WITH_KEY = `select ${TAGGED}, ${TEXTS},
  (select k.key from person_keys k where k.organisation_id = $1 and k.person_id = $2) as person_key from people p where ${EXISTS} and p.person_id = $2`;

/** Reads the {@link PersonWithKey} of an organisation (`$1`) and an id (`$2`); no row where this organisation has no such person. */
export const PERSON_WITH_KEY: Omit<Statement, 'values'> = { name: 'read-person-with-key', text: READ_WITH_KEY };

/** {@link PERSON_WITH_KEY} of an id. */
export function personWithKey(organisationId: string, personId: string): Statement {
  return { ...PERSON_WITH_KEY, values: [organisationId, personId] };
}

/** Reads people as responses show them. One instance for each pool, because it caches the names of referenced resources. */
export class PeopleReader {
  private readonly names: ReferenceNamesCache;
  private readonly kept = new KeptTexts((text) => timeOfText(text) as Date);
  private readonly gathered = new GatheredReads((organisationId, personIds) => this.readAll(organisationId, personIds));

  constructor(private readonly executor: Executor) {
    this.names = new ReferenceNamesCache(executor);
  }

  /** The person, ready to be sent; null where this organisation has none of this id. */
  async read(organisationId: string, personId: string): Promise<WrittenPerson | null> {
    const row = await this.gathered.read(organisationId, personId);
    if (row === null) return null;
    const { identity_revision, employment_revision, fact_id, effect_revision } = row;
    const { json, references } = writtenWith(await this.namesOf(organisationId, row), row);
    return { identity_revision, employment_revision, fact_id, effect_revision, json, references };
  }

  private async readAll(organisationId: string, personIds: readonly string[]): Promise<ReadonlyMap<string, TaggedTextRow>> {
    const statement = personIds.length === 1 ? READ_ONE : READ_SOME;
    const values = [organisationId, personIds.length === 1 ? personIds[0] : personIds];
    const { rows } = await this.executor.query<TaggedTextRow>({ ...statement, values });
    return new Map(rows.map((row) => [row.person_id, row]));
  }

  /** A page of people, ready to be sent, and the mark up to which a sync that starts now reads. */
  async list(page: PeoplePage): Promise<readonly ListedText<Date>[]> {
    // A sync asks for what has changed: the texts of that are rarely kept.
    if (page.order === 'change') return this.listWithTexts(page);
    const { rows } = await this.executor.query<PageVersions>(listQuery(page, 'versions'));
    // One statement reads places and texts, because a text that is newer than its place would not belong to the page.
    return this.kept.find(page.organisationId, rows[0]!) ?? this.listWithTexts(page);
  }

  private async listWithTexts(page: PeoplePage): Promise<readonly ListedText<Date>[]> {
    const { organisationId } = page;
    const { rows } = await this.executor.query<TextRowOfList>(listQuery(page, 'texts'));
    if (rows.length === 0) return [];
    const names = await this.namesOf(organisationId, rows[0]!);
    return rows.map(({ id, time, horizon, version, ...row }) => {
      // Names that were loaded at a later version than the statement read stand for that version.
      const json = this.kept.keep(organisationId, id, { row: version, names: names.version }, writtenWith(names, row).json.text);
      return { id, time, horizon, json };
    });
  }

  /** A person whose texts were read, or made, elsewhere. */
  async write(organisationId: string, row: TextRow): Promise<WrittenText> {
    return writtenWith(await this.namesOf(organisationId, row), row);
  }

  /** The names of an organisation's resources, except people, at the version that a statement read with {@link NAMES_VERSION}. */
  namesOf(organisationId: string, row: Pick<TextRow, 'names_version'>): ReferenceNames | Promise<ReferenceNames> {
    return this.names.at(organisationId, versionOf(row.names_version));
  }
}

/** A row's texts, with names at the version that the row was read at. */
export function writtenWith({ json }: ReferenceNames, row: TextRow): WrittenText {
  const { text, references } = personJson(row, (reference) => json.get(reference));
  return { json: new WrittenJson(text), references };
}

/** A row of a list that reads texts. */
interface TextRowOfList extends TextRow {
  readonly id: string;
  readonly time: Date;
  readonly horizon: Date | null;
  /** `TextVersion.row`. */
  readonly version: string;
}

function listQuery(page: PeoplePage, columns: 'versions' | 'texts'): Statement {
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
  const most = mostRowsFor(page.count);
  const rowsWith = (more: string): string => {
    const rows = `select p.person_id as id, p.${column} as time, ${ROW_VERSION} as version${more} from people p
      where ${conditions.join(' and ')} order by p.${column} ${direction}, p.person_id ${direction}`;
    return firstRows(rows, most);
  };
  const text = columns === 'versions' ? selectVersions(rowsWith('')) : rowsWith(`, ${horizon} as horizon, ${TEXTS}`);
  const shape = [page.order, page.since !== null, page.horizon !== null, page.after !== null, most].join('-');
  return { name: `list-people-${columns}-${shape}`, text, values };
}
