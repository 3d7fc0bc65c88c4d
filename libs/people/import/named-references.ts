import type { Issue } from '#kernel/rejection.js';
import type { CommandContext } from '#commands/command-context.js';
import { hasFormOfIdentifier } from '#http/fields/rules.js';
import type { CommandServices } from '#commands/services.js';
import { nameKey } from '#kernel/names.js';
import { findByNames } from '#commands/named-resource.js';
import { findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { orgUnitTable } from '#organisation/org-unit/org-unit.js';
import { WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { workPlaceTable, workTypeTable } from '#organisation/dictionary/dictionary.js';
import type { Terms } from '../employment/timeline.js';
import { findReferences, missingReference } from '../record/references.js';
import { NAMED_COLUMNS, type NamedColumn, type WrittenTerms } from './import-columns.js';

/** Terms with the ids of their resources. */
export interface ResolvedTerms {
  readonly terms: Terms;
  /** Names without a resource yet, to be created. */
  readonly toCreate: { readonly [Column in NamedColumn]?: string };
}

const TERM_OF = { department: 'department_id', work_place: 'work_place_id', work_type: 'work_type_id' } as const;
const KIND_OF = { department: 'orgUnit', work_place: 'workPlace', work_type: 'workType' } as const;
const WORD_OF = { department: 'org unit', work_place: 'work place', work_type: 'work type' } as const;

const TABLES = { department: orgUnitTable, work_place: workPlaceTable, work_type: workTypeTable } as const;
const MAKERS = {
  department: findOrCreateOrgUnits,
  work_place: WORK_PLACES.findOrCreate,
  work_type: WORK_TYPES.findOrCreate,
} as const;

/** Finds departments, work places and work types by name or id, and creates missing ones on request. */
export class NamedReferences {
  private readonly made = new Map<string, string>();

  constructor(
    private readonly services: CommandServices,
    private readonly context: CommandContext,
    private readonly createMissing: boolean,
  ) {}

  /** Resolves the names of many rows, with one query per column; the result is in the order of the rows. */
  async resolve(
    rows: readonly WrittenTerms[],
  ): Promise<readonly (ResolvedTerms | { readonly issues: readonly Issue[] })[]> {
    const { executor } = this.services;
    const { organisationId } = this.context;
    const values = (column: NamedColumn): readonly string[] => [
      ...new Set(rows.flatMap(({ named }) => named[column] ?? [])),
    ];
    const byName = await Promise.all(
      NAMED_COLUMNS.map((column) =>
        findByNames(
          executor,
          TABLES[column],
          organisationId,
          values(column).filter((value) => !isId(column, value)),
        ),
      ),
    );
    const byId = NAMED_COLUMNS.flatMap((column) =>
      values(column)
        .filter((value) => isId(column, value))
        .map((id): Terms => ({ [TERM_OF[column]]: id })),
    );
    const references = await findReferences(executor, organisationId, byId);
    const find = (column: NamedColumn, value: string): string | null => {
      if (!isId(column, value)) return byName[NAMED_COLUMNS.indexOf(column)]!.get(nameKey(value))?.[0]?.id ?? null;
      return missingReference({ [TERM_OF[column]]: value }, references) === null ? value : null;
    };
    return rows.map((row) => this.resolveRow(row, find));
  }

  /** Creates the missing resources of these rows; a dry run only returns the ids that they would get. */
  async create(rows: readonly ResolvedTerms[], dryRun: boolean): Promise<(row: ResolvedTerms) => Terms> {
    for (const column of NAMED_COLUMNS) {
      const requested = rows
        .flatMap(({ toCreate }) => toCreate[column] ?? [])
        .filter((name) => !this.made.has(`${column} ${nameKey(name)}`));
      // Of several spellings of a name, the first one counts.
      const names = [...new Map(requested.toReversed().map((name) => [nameKey(name), name])).values()];
      if (names.length === 0) continue;
      if (dryRun) for (const name of names) this.made.set(`${column} ${nameKey(name)}`, this.futureId(column, name));
      else
        for (const [key, { id }] of await MAKERS[column](this.services, this.context, names))
          this.made.set(`${column} ${key}`, id);
    }
    return ({ terms, toCreate }) => {
      const created = NAMED_COLUMNS.flatMap((column) => {
        const name = toCreate[column];
        return name === undefined ? [] : [[TERM_OF[column], this.made.get(`${column} ${nameKey(name)}`)!] as const];
      });
      return { ...terms, ...Object.fromEntries(created) };
    };
  }

  private resolveRow(
    row: WrittenTerms,
    find: (column: NamedColumn, value: string) => string | null,
  ): ResolvedTerms | { readonly issues: readonly Issue[] } {
    const issues: Issue[] = [];
    const ids: Record<string, string> = {};
    const toCreate: { [Column in NamedColumn]?: string } = {};
    for (const column of NAMED_COLUMNS) {
      const value = row.named[column];
      if (value === undefined) continue;
      const found = find(column, value);
      if (found !== null) ids[TERM_OF[column]] = found;
      else if (this.createMissing && !isId(column, value)) toCreate[column] = value;
      else issues.push({ field: column, issue: `there is no such ${WORD_OF[column]}: ${value}` });
    }
    return issues.length > 0 ? { issues } : { terms: { ...row.plain, ...ids }, toCreate };
  }

  private futureId(column: NamedColumn, name: string): string {
    return this.services.mint.prefixed(KIND_OF[column], this.context.organisationId, 'name', nameKey(name), '0');
  }
}

function isId(column: NamedColumn, value: string): boolean {
  return hasFormOfIdentifier(KIND_OF[column], value);
}
