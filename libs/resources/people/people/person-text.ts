import type { Executor, Row } from '#projections/projection.js';
import { ERASED, type WholeIdentity } from '../person/person.decider.js';
import { NAMES_VERSION } from '../../naming/reference-versions.js';

/**
 * Members that refer to another resource: their column, the member with the resource's name, and the name's column in a joined row. In the
 * order of `PersonResponse`.
 */
export const REFERENCES = [
  { member: 'department', column: 'department_id', name: 'name', joined: 'department_name' },
  { member: 'manager', column: 'manager_id', name: 'display_name', joined: 'manager_name' },
  { member: 'work_place', column: 'work_place_id', name: 'label', joined: 'work_place_label' },
  { member: 'work_type', column: 'work_type_id', name: 'label', joined: 'work_type_label' },
  { member: 'working_pattern', column: 'working_pattern_id', name: 'label', joined: 'working_pattern_label' },
] as const;

const NAME_MEMBERS: Readonly<Record<string, string>> = Object.fromEntries(REFERENCES.map(({ member, name }) => [member, name]));

/**
 * A person's JSON is written in two parts when their row is projected, one by each stream that owns columns of the row, and assembled when
 * it is read. Each part is lines of text; the first line is the part's own time of change. A line feed can separate them because JSON text
 * escapes it. In the employment part, text and references alternate: a reference names another resource (`department oru_…`), and the
 * reader replaces it with the resource's id and current name.
 *
 * Returns the part of the person's own stream, from the row's columns.
 */
export function identityText(row: Row): string {
  const shown = { ...row, work_email: shownAddress(row['work_email'] as string) };
  const members = ['work_email', 'first_name', 'preferred_name', 'last_name', 'display_name', 'staff_id'];
  const text = `"id":${JSON.stringify(row['person_id'])}${members.map((member) => memberText(shown, member)).join('')}`;
  return `${timeOf(row['identity_updated_at'])}\n${text}\n${memberText(row, 'created_at')}`;
}

/** The identity, and the time of creation, that {@link identityText} wrote of a person who was not erased. */
export function identityOfText(text: string): { readonly identity: WholeIdentity; readonly createdAt: string } {
  const [, identity, created] = text.split('\n') as [string, string, string];
  const { work_email, first_name, preferred_name, last_name, staff_id, created_at } = JSON.parse(
    `{${identity}${created}}`,
  ) as WholeIdentity & {
    readonly created_at: string;
  };
  return { identity: { work_email, first_name, preferred_name, last_name, staff_id }, createdAt: created_at };
}

/** The part of the employment stream, with a line of its own for each reference. */
export function employmentText(row: Row): string {
  let text = `${timeOf(row['employment_updated_at'])}\n${memberText(row, 'job_title')}`;
  for (const { member, column } of REFERENCES) {
    const id = row[column];
    text += typeof id === 'string' ? `,"${member}":\n${member} ${id}\n` : `,"${member}":null`;
  }
  for (const member of ['contracted_weekly_minutes', 'full_time_weekly_minutes', 'fte', 'status']) text += memberText(row, member);
  const { start_date, end_date, coming_start_date, coming_end_date } = row;
  const dates = datesOf({ start_date, end_date, coming_start_date, coming_end_date });
  for (const member of ['start_date', 'end_date'] as const) text += memberText(dates as Row, member);
  return text;
}

/** Replaces the part of an employment that is not projected yet. */
const NO_EMPLOYMENT = employmentText({ employment_updated_at: '' });

/** Both parts of a row, and the day on which a dated change took effect, where one did. */
export interface PersonTexts {
  readonly identity_text: string;
  readonly employment_text: string | null;
  readonly effect_updated_at: Date | null;
  /** The display name of the manager; null where there is none. */
  readonly manager_name: string | null;
}

/** A person's JSON, and the JSON of each reference in it, one after the other: the part of their entity tag that covers other resources. */
export interface PersonJson {
  readonly text: string;
  readonly references: string;
}

/**
 * `PersonResponse` as JSON. `jsonOf` returns the JSON of a reference (`{"id":…,"name":…}`) for its line; `people.json.int.spec.ts` compares
 * the result with the JSON of the class.
 */
export function personJson(texts: PersonTexts, jsonOf: (reference: string) => string | undefined): PersonJson {
  const [identityTime, identity, created] = texts.identity_text.split('\n') as [string, string, string];
  const lines = (texts.employment_text ?? NO_EMPLOYMENT).split('\n');
  let updated = lines[0]! > identityTime ? lines[0]! : identityTime;
  if (texts.effect_updated_at !== null) {
    const effect = texts.effect_updated_at.toISOString();
    if (effect > updated) updated = effect;
  }
  let employment = lines[1]!;
  let references = '';
  for (let line = 2; line < lines.length; line += 2) {
    const reference = lines[line]!;
    const json = reference.startsWith('manager ')
      ? referenceJson(reference, texts.manager_name)
      : (jsonOf(reference) ?? referenceJson(reference, null));
    employment += json + lines[line + 1]!;
    references += json;
  }
  return { text: `{${identity}${employment}${created},"updated_at":"${updated}"}`, references };
}

/** The ids and current names of the resources that a row refers to. */
export type NamedReferences = Readonly<Record<(typeof REFERENCES)[number]['column' | 'joined'], string | null>>;

/** The {@link PersonJson.references} of a row with joined names. */
export function referencesOf(row: NamedReferences): string {
  let references = '';
  for (const { member, column, joined } of REFERENCES)
    if (row[column] !== null) references += referenceJson(`${member} ${row[column]}`, row[joined]);
  return references;
}

/** The JSON of the resource that a line refers to. The id replaces a name that no longer exists. */
export function referenceJson(reference: string, name: string | null): string {
  const end = reference.indexOf(' ');
  const id = reference.slice(end + 1);
  return `{"id":"${id}","${NAME_MEMBERS[reference.slice(0, end)]}":${JSON.stringify(name ?? id)}}`;
}

/** The name in the JSON that {@link referenceJson} wrote. */
export function nameInJson(json: string): string {
  const { id: _, ...named } = JSON.parse(json) as Readonly<Record<string, string>>;
  return Object.values(named)[0]!;
}

function memberText(row: Row, member: string): string {
  return `,"${member}":${JSON.stringify(row[member] ?? null)}`;
}

function timeOf(value: Row[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The work e-mail address that is shown after erasure: it is undeliverable (RFC 2606) and has the form of an address. */
export const ERASED_ADDRESS = 'erased@erased.invalid';

/** A work e-mail address as answers show it. */
export function shownAddress(workEmail: string): string {
  return workEmail === ERASED ? ERASED_ADDRESS : workEmail;
}

/** The dates of the period whose terms a row shows, and of a later one that was recorded after it. */
interface RecordedPeriods<Value> {
  readonly start_date: Value;
  readonly end_date: Value;
  readonly coming_start_date: Value;
  readonly coming_end_date: Value;
}

/**
 * The dates that a person has (docs/reference/people-and-employment.md): the dates, like the status, are those of the period recorded last,
 * even while the terms of the period before are in force. A period that comes after another one always has a first day.
 */
export function datesOf<Value>(row: RecordedPeriods<Value>): Pick<RecordedPeriods<Value>, 'start_date' | 'end_date'> {
  const { start_date, end_date, coming_start_date, coming_end_date } = row;
  return coming_start_date === null || coming_start_date === undefined
    ? { start_date, end_date }
    : { start_date: coming_start_date, end_date: coming_end_date };
}

/** The names of resources, except managers, that people of an organisation refer to, at one version. */
export interface ReferenceNames {
  readonly version: number;
  /** The JSON of a reference by its line in a person's text. */
  readonly json: ReadonlyMap<string, string>;
}

/** The most names kept in memory, for all organisations together. */
const MOST_NAMES = 200_000;

const LOAD = `select ${NAMES_VERSION} as version, r.reference, r.name from (values (1)) as one left join lateral (
    select 'department ' || id as reference, name from org_units where organisation_id = $1
    union all select 'work_place ' || id, label from work_places where organisation_id = $1
    union all select 'work_type ' || id, label from work_types where organisation_id = $1
    union all select 'working_pattern ' || id, label from working_patterns where organisation_id = $1
  ) r on true`;

/**
 * Names of org units, work places, work types and working patterns, cached by organisation. Every read looks up the current version in its
 * own statement and uses the cached names only at that version, so a read never shows a name that was changed before it began, whichever
 * process changed it.
 */
export class ReferenceNamesCache {
  /** The least recently loaded first. */
  private readonly kept = new Map<string, ReferenceNames>();
  private readonly loading = new Map<string, Promise<ReferenceNames>>();
  private count = 0;

  constructor(private readonly executor: Executor) {}

  /** Names at this version, as a statement read it, or at a later one. */
  at(organisationId: string, version: number): ReferenceNames | Promise<ReferenceNames> {
    const kept = this.kept.get(organisationId);
    return kept?.version === version ? kept : this.load(organisationId, version);
  }

  private async load(organisationId: string, version: number): Promise<ReferenceNames> {
    // The names that another request has begun to load may be older than the version that this one has read.
    const begun = await this.loading.get(organisationId);
    if (begun?.version === version) return begun;
    const loading = this.read(organisationId);
    this.loading.set(organisationId, loading);
    try {
      return this.keep(organisationId, await loading);
    } finally {
      if (this.loading.get(organisationId) === loading) this.loading.delete(organisationId);
    }
  }

  private async read(organisationId: string): Promise<ReferenceNames> {
    const { rows } = await this.executor.query<{ version: number | null; reference: string | null; name: string }>({
      name: 'names-of-references',
      text: LOAD,
      values: [organisationId],
    });
    const json = new Map<string, string>();
    for (const { reference, name } of rows) if (reference !== null) json.set(reference, referenceJson(reference, name));
    return { version: versionOf(rows[0]!.version), json };
  }

  private keep(organisationId: string, names: ReferenceNames): ReferenceNames {
    this.forget(organisationId);
    this.kept.set(organisationId, names);
    this.count += names.json.size;
    for (const oldest of this.kept.keys()) {
      if (this.count <= MOST_NAMES || oldest === organisationId) break;
      this.forget(oldest);
    }
    return names;
  }

  private forget(organisationId: string): void {
    this.count -= this.kept.get(organisationId)?.json.size ?? 0;
    this.kept.delete(organisationId);
  }
}

/** The version that a statement read: 0 where no resource was ever named. */
export function versionOf(read: number | null): number {
  return read ?? 0;
}
