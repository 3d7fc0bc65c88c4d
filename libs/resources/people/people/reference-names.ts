import type { Executor } from '#projections/projection.js';
import { NAMES_VERSION } from '../../naming/reference-versions.js';
import { referenceJson } from './person-text.js';

/** Names of what people of an organisation refer to, managers apart, as they are at one version. */
export interface ReferenceNames {
  readonly version: number;
  /** The JSON of a reference by its line in a person's text. */
  readonly json: ReadonlyMap<string, string>;
}

/** Names kept in memory at most, of all organisations together. */
const MOST_NAMES = 200_000;

const LOAD = `select ${NAMES_VERSION} as version, r.reference, r.name from (values (1)) as one left join lateral (
    select 'department ' || id as reference, name from org_units where organisation_id = $1
    union all select 'work_place ' || id, label from work_places where organisation_id = $1
    union all select 'work_type ' || id, label from work_types where organisation_id = $1
    union all select 'working_pattern ' || id, label from working_patterns where organisation_id = $1
  ) r on true`;

/**
 * Names of org units, work places, work types and working patterns, kept by organisation for as long as the version that
 * every read looks up in its own statement is theirs: a read never shows a name that was changed before it began, whichever
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
    // What another request has begun to load may be older than what this one has read.
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

/** The version that a statement read: 0 where nothing was ever named. */
export function versionOf(read: number | null): number {
  return read ?? 0;
}
