import type { LocalDate } from '#kernel/dates.js';
import type { Issue } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { gainedManagers, type ManagedInterval } from '../employment/manager-guard.js';
import type { Fact } from '../employment/timeline.js';

/** The issue that the manager guard reports to a command. */
export const CYCLE_ISSUE: Issue = {
  field: 'manager',
  issue: 'would make a cycle: this person manages that manager, directly or through others',
};

/**
 * The managers of people: as planned by the rows so far, otherwise as recorded. Applies the rule of
 * `employment/manager-guard.ts` before anything is sent.
 */
export class PlannedManagers {
  private readonly managers = new Map<string, readonly ManagedInterval[]>();

  constructor(
    private readonly executor: Executor,
    private readonly organisationId: string,
  ) {}

  /** Replaces the recorded facts of a person; without facts, they are read on next use. */
  plan(personId: string, facts: readonly Fact[] | null): void {
    if (facts === null) this.managers.delete(personId);
    else this.managers.set(personId, gainedManagers([], facts));
  }

  /** Whether the person would manage themselves on a day on which they got a new manager. */
  async wouldCycle(personId: string, gained: readonly ManagedInterval[]): Promise<boolean> {
    const seen = new Set<string>();
    for (let front = gained; front.length > 0;) {
      if (front.some(({ managerId }) => managerId === personId)) return true;
      await this.read(front.map(({ managerId }) => managerId));
      const above = front.flatMap((below) =>
        this.managers.get(below.managerId)!.flatMap((manager) => during(manager, below)),
      );
      front = above.filter((interval) => {
        const key = Object.values(interval).join(' ');
        return !seen.has(key) && seen.add(key);
      });
    }
    return false;
  }

  private async read(personIds: readonly string[]): Promise<void> {
    const unknown = personIds.filter((id) => !this.managers.has(id));
    if (unknown.length === 0) return;
    const { rows } = await this.executor.query<ManagedInterval & { person_id: string }>({
      name: 'import-recorded-managers',
      text: `select person_id, manager_id as "managerId", lower(valid)::text as "from", upper(valid)::text as "to"
        from employment_beliefs
              where organisation_id = $1 and person_id = any($2::text[]) and upper_inf(known)
                and manager_id is not null`,
      values: [this.organisationId, unknown],
    });
    for (const id of unknown)
      this.managers.set(
        id,
        rows.filter((row) => row.person_id === id).map(({ managerId, from, to }) => ({ managerId, from, to })),
      );
  }
}

/** The part of an interval within another one; null if they do not overlap. */
function during({ managerId, from, to }: ManagedInterval, other: ManagedInterval): readonly ManagedInterval[] {
  const later = [from, other.from].reduce((one, two) => ((one ?? '') > (two ?? '') ? one : two)) as LocalDate | null;
  const earlier = [to, other.to].reduce((one, two) =>
    one === null || (two !== null && two < one) ? two : one,
  ) as LocalDate | null;
  return later !== null && earlier !== null && later >= earlier ? [] : [{ managerId, from: later, to: earlier }];
}
