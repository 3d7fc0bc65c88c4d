import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { execute, readState } from '#commands/execute.js';
import { IdempotencyMismatchError } from '#commands/idempotency-errors.js';
import { lockReferences } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { WritingServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { type Decision, reject } from '#kernel/aggregate.js';
import { addDays } from '#kernel/dates.js';
import { conflict, invalid, RejectedError, type Rejection } from '#kernel/rejection.js';
import { requireNotErased } from '#people/person/person-keys.js';
import {
  timeOffCategoryAggregate,
  type TimeOffCategoryRow,
  timeOffCategoryTable,
} from '../category/time-off-category.js';
import { balanceLock, hasLimit } from '../records/balance-lock.js';
import { missingRejection } from '../records/missing-references.js';
import { timeOffAggregate } from '../records/time-off.js';
import { MAX_YEARS_AHEAD, MAX_TIME_OFF_DAYS } from '../records/time-off.rules.js';
import { readTimeOffSettings } from '../settings/time-off-settings.js';
import type { Account } from './account.rules.js';
import { PersonAccounts } from './accounts.js';
import { firstDayBelow } from './balance-limit.rules.js';
import { limitRejection, recordsOf } from './balance-rejection.js';
import { dayOf } from './dated.rules.js';
import { type Adjustment, decideLedger, ledgerAggregate, type LedgerEvent, type LedgerState } from './ledger.js';
import { type BalanceSources, personOfAdjustment, readBalanceSources } from './read-balance-sources.js';

/** The fields of a requested adjustment. */
export type NewAdjustment = Omit<Adjustment, 'adjustment_id'>;

/** An adjustment as it was recorded, with the current names of its references. */
export interface RecordedAdjustment extends Adjustment {
  readonly person: { readonly id: string; readonly display_name: string };
  readonly category: { readonly id: string; readonly label: string };
  /** ISO 8601. */
  readonly recordedAt: string;
}

interface Subject {
  readonly personId: string;
  readonly category: TimeOffCategoryRow;
  readonly sources: BalanceSources;
}

async function decide(
  services: WritingServices,
  context: CommandContext,
  subject: Subject,
  adjustment: Adjustment,
  ledger: LedgerState,
): Promise<Decision<LedgerEvent>> {
  const { category } = subject;
  const decision = decideLedger({ type: 'adjust', adjustment }, ledger);
  if ('rejection' in decision) return decision;
  if (!category.is_active) return reject(conflict('category_id', 'this time-off category is archived'));
  if (!category.deducts_balance) return reject(conflict('category_id', 'this time-off category keeps no balance'));
  const rejection = await dateRejection(services, context, subject, adjustment, ledger);
  return rejection === null ? decision : reject(rejection);
}

async function dateRejection(
  { executor, store }: WritingServices,
  { organisationId, today }: CommandContext,
  { personId, category, sources }: Subject,
  adjustment: Adjustment,
  ledger: LedgerState,
): Promise<Rejection | null> {
  const { effective_date: date, amount_minutes: amount } = adjustment;
  if (date > addDays(today, MAX_YEARS_AHEAD * MAX_TIME_OFF_DAYS))
    return invalid('effective_date', `is more than ${MAX_YEARS_AHEAD} years ahead`);
  const settings = await readTimeOffSettings(executor, organisationId);
  const accounts = new PersonAccounts(sources, settings);
  const day = dayOf(date);
  if (!accounts.account(category).periods.some(({ first }) => first <= day))
    return conflict('effective_date', `the person is not employed on ${date} yet`);
  if (!usesUpLimit(category, amount)) return null;
  // Read from the store under the lock, so that records of other commands count.
  const records = recordsOf(await readState(store, timeOffAggregate, organisationId, personId));
  const after = accounts.account(category, {
    records,
    adjustments: [...ledger, adjustment],
  });
  const before = (): Account => accounts.account(category, { records, adjustments: ledger });
  const below = firstDayBelow({ before, after, limit: category.negative_balance_minutes!, first: day, last: day });
  return below === null ? null : limitRejection('amount_minutes', below);
}

/** Whether an adjustment can bring a balance below a limit; added minutes never do. */
function usesUpLimit(category: TimeOffCategoryRow, amount: number): boolean {
  return hasLimit(category) && amount < 0;
}

/**
 * Records an adjustment of a person's balance. Throws {@link RejectedError}, and {@link
 * IdempotencyMismatchError} if the context's key recorded an adjustment of another person.
 */
export class AdjustBalance extends Command<RecordedAdjustment> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly adjustment: NewAdjustment,
  ) {
    super();
  }
}

@CommandHandler(AdjustBalance)
export class AdjustBalanceHandler implements ICommandHandler<AdjustBalance> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, adjustment: requested }: AdjustBalance): Promise<RecordedAdjustment> {
    const { organisationId } = context;
    const adjustment = {
      ...requested,
      adjustment_id: this.services.mint.prefixed('balanceAdjustment', organisationId, ...context.seed),
    };
    return commit(this.services, context, async (within) => {
      await lockReferences(this.services, within, [
        timeOffCategoryAggregate.streamOf(organisationId, requested.category_id),
      ]);
      const [sources, category, recordedFor] = await Promise.all([
        readBalanceSources(this.services.executor, organisationId, personId),
        timeOffCategoryTable.find(this.services.executor, organisationId, requested.category_id),
        personOfAdjustment(this.services.executor, organisationId, adjustment.adjustment_id),
      ]);
      if (sources === null || category === null)
        throw new RejectedError(missingRejection({ person: sources === null, category: category === null }));
      await requireNotErased(this.services.executor, organisationId, personId);
      if (recordedFor !== null && recordedFor !== personId) throw new IdempotencyMismatchError();
      if (usesUpLimit(category, adjustment.amount_minutes))
        await within.unit.hold({ exclusive: [balanceLock(organisationId, personId)] });
      const result = await execute(this.services, within, ledgerAggregate, personId, {
        decide: (ledger) => decide(this.services, within, { personId, category, sources }, adjustment, ledger),
      });
      return () => {
        const recorded = result.events.find((event) => event.data['adjustment_id'] === adjustment.adjustment_id)!;
        const names = {
          person: { id: personId, display_name: sources.display_name },
          category: { id: category.id, label: category.label },
        };
        return { ...(recorded.data as unknown as Adjustment), ...names, recordedAt: recorded.recordedAt };
      };
    });
  }
}
