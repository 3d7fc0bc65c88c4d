import type { PoolClient } from 'pg';
import { beginTransaction, type OpenTransaction } from '#database/transaction.js';
import { sqlState } from '#database/errors.js';
import {
  type Append,
  type Appended,
  type RecordedEvent,
  WrongExpectedRevisionError,
} from '#event-store/event-store.js';
import type { Executor, ProjectionContext } from '#projections/projection.js';
import type { CommandContext } from './command-context.js';
import { DecidedError } from './dry-run.js';
import type { WritingServices } from './services.js';
import { beginWrite, keepAnswer } from './receipts/receipts.js';
import { slotsOf } from '#database/connection-slots.js';

/** The context of a command that runs in a unit of work. */
export type UnitContext = CommandContext & { readonly unit: UnitOfWork };

/** The connection for reads of the response: they see everything that the unit has written. */
export interface Written {
  readonly executor: Executor;
}

/** Produces the result of a unit of work, in its transaction, after all other writes. */
export type Outcome<Result> = (written: Written) => Result | Promise<Result>;

/** A stream that the unit has read, and its append. */
export interface Staged {
  readonly append: Append;
  /**
   * The reaction to a revision conflict: `decide_again` plans the whole unit again, `refuse` throws {@link
   * WrongExpectedRevisionError}.
   */
  readonly onConflict: 'refuse' | 'decide_again';
  /** Receives the position and the time of the events, and returns the whole stream with them. */
  readonly recorded: (appended: Appended) => readonly RecordedEvent[];
  readonly projection?: ProjectionContext;
}

/** The decision is based on outdated data. Nothing was recorded except events that a repeat finds. */
class StaleDecisionError extends Error {
  /**
   * @param stream - the stream to which another write has appended; null if there is none, or it is unknown
   * @param erasures - the number of erased people of the organisation, if it has grown
   */
  constructor(
    readonly stream: string | null,
    readonly erasures: number | null = null,
  ) {
    super('another write was recorded first');
    this.name = 'StaleDecisionError';
  }
}

const ATTEMPTS = 100;
/** The number of attempts that PostgreSQL may abort for reasons of its own. */
const MAX_ABORTED_ATTEMPTS = 5;

/**
 * The single way to write. `plan` looks up the data for the decision, decides, and stages the writes. Then
 * one transaction of PostgreSQL takes the locks of the streams, checks whether the request was already
 * answered, appends, projects, produces the response and stores it as the receipt. Events of EventStoreDB are
 * appended while that transaction is open: their ids derive from the command, so that a repeat of the
 * command, and the catch-up, complete a write that crashed before the commit. On a conflict the plan is made
 * again, under the locks of the conflicting streams. Everything that it does besides staging must therefore
 * be safe to repeat. Throws the errors of the plan, `AnsweredError`, `InProgressError`,
 * `IdempotencyMismatchError`, {@link WrongExpectedRevisionError}, {@link DecidedError} in a dry run, those of
 * the context's admission, and the stores' errors.
 */
export async function commit<Result>(
  services: WritingServices,
  context: CommandContext,
  plan: (context: UnitContext) => Promise<Outcome<Result>>,
): Promise<Result> {
  const conflicting = new Set<string>();
  let erasures = context.receipt?.erasures ?? null;
  let aborted = 0;
  for (let attempt = 1; ; attempt += 1) {
    const unit = new UnitOfWork(services, context, erasures, attempt > 1);
    try {
      if (conflicting.size > 0) await unit.hold({ exclusive: [...conflicting] });
      await context.admission?.(services, unit);
      return await unit.commit(await plan({ ...context, unit }));
    } catch (error) {
      await unit.rollBack();
      if (error instanceof StaleDecisionError && attempt < ATTEMPTS) {
        if (error.stream !== null) conflicting.add(error.stream);
        erasures = error.erasures ?? erasures;
      } else if (REPEATABLE_STATES.has(sqlState(error)) && aborted < MAX_ABORTED_ATTEMPTS) aborted += 1;
      else throw error;
    }
  }
}

/**
 * A deadlock, or a row type that was looked up while a rebuild swapped tables: PostgreSQL aborted the
 * transaction, and it can be repeated.
 */
const REPEATABLE_STATES: ReadonlySet<string | null> = new Set(['40P01', 'XX000']);

/** One attempt of {@link commit}: the staged writes of the plan, and the transaction that performs them. */
class UnitOfWork {
  private readonly staged: Staged[] = [];
  private readonly projected: {
    readonly events: readonly RecordedEvent[];
    readonly projection: ProjectionContext | undefined;
  }[] = [];
  private readonly claims: ((connection: PoolClient) => Promise<void>)[] = [];
  private readonly rows: ((connection: PoolClient) => Promise<void>)[] = [];
  private readonly afterCommit: (() => void)[] = [];
  private readonly held = new Set<string>();
  private beginning: Promise<OpenTransaction> | null = null;
  private hasFound = false;

  constructor(
    private readonly services: WritingServices,
    private readonly context: CommandContext,
    /** The number of erased people of the organisation when planning began; null without a receipt. */
    private readonly erasures: number | null,
    /**
     * Whether this is not the first attempt. An event store with a database of its own may have events of an
     * earlier one, even without an idempotency key.
     */
    readonly isPlannedAgain = false,
  ) {}

  /**
   * Takes locks until the unit ends: of streams, by their names, and of rules that span streams. `shared`
   * prevents appends by others to a stream; `exclusive` also prevents others from sharing it. Data that the
   * plan reads afterwards stays current until the write. A deadlock restarts the plan.
   */
  async hold({
    shared = [],
    exclusive = [],
  }: {
    readonly shared?: readonly string[];
    readonly exclusive?: readonly string[];
  }): Promise<void> {
    if (shared.length + exclusive.length === 0) return;
    const { connection } = await this.begin();
    await connection.query({
      name: 'hold-locks',
      text: 'select hold_locks($1::text[], $2::text[])',
      values: [shared, exclusive],
    });
    for (const name of [...shared, ...exclusive]) this.held.add(name);
  }

  /** Whether {@link hold} has taken the lock. */
  holds(name: string): boolean {
    return this.held.has(name);
  }

  /** Stages an append. The events are recorded in the order of staging. */
  append(staged: Staged): void {
    if (this.appendsTo(staged.append.stream)) throw new Error(`a unit of work appends to ${staged.append.stream} once`);
    this.staged.push(staged);
  }

  /** Whether the plan has staged an append to the stream. */
  appendsTo(stream: string): boolean {
    return this.staged.some(({ append }) => append.stream === stream);
  }

  /**
   * Projects a stream without an append, which repairs the effects of a crash between append and commit. It
   * needs no lock, because rows of a later revision are never overwritten.
   */
  project(events: readonly RecordedEvent[], projection?: ProjectionContext): void {
    if (events.length > 0) this.projected.push({ events, projection });
  }

  /** Writes rows before the appends, such as those under a unique index. It may throw a refusal. */
  claim(work: (connection: PoolClient) => Promise<void>): void {
    this.claims.push(work);
  }

  /** Writes rows outside of projections, after the appends. */
  write(work: (connection: PoolClient) => Promise<void>): void {
    this.rows.push(work);
  }

  /** Runs once the unit is committed. */
  onCommit(work: () => void): void {
    this.afterCommit.push(work);
  }

  /**
   * Records that an earlier attempt of the same request had recorded events, so that the command was not
   * decided again.
   */
  noteFound(): void {
    this.hasFound = true;
  }

  /** Performs all staged writes in one transaction, and returns the result. */
  async commit<Result>(outcome: Outcome<Result>): Promise<Result> {
    const { beforeAppend, receipt, isDryRun } = this.context;
    const transaction = await this.begin();
    const { connection } = transaction;
    const streams = this.staged.map(({ append }) => append.stream);
    const erasures = await beginWrite(connection, receipt ?? null, streams);
    // The stored response must not contain data of a person who was erased after the plan read it.
    if (erasures !== this.erasures) throw new StaleDecisionError(null, erasures);
    for (const claim of this.claims) await claim(connection);
    if (isDryRun === true && this.staged.length > 0) throw new DecidedError(this.staged[0]!.append);
    if (this.staged.length > 0) beforeAppend?.();
    for (const staged of this.staged) this.project(await this.record(staged, connection), staged.projection);
    for (const { events, projection } of this.projected)
      await this.services.projector.project(connection, [events], projection);
    for (const write of this.rows) await write(connection);
    const result = await outcome({ executor: connection });
    if (isDryRun === true) {
      await transaction.rollBack();
      return result;
    }
    const isReplay = this.hasFound && this.staged.length === 0;
    if (receipt !== undefined) await keepAnswer(connection, receipt, receipt.answerOf(result, isReplay));
    await transaction.commit();
    for (const work of this.afterCommit) work();
    return result;
  }

  /** Ends the open transaction, if there is one, without writing. */
  async rollBack(): Promise<void> {
    await (await this.beginning?.catch(() => null))?.rollBack();
  }

  private async record(
    { append, onConflict, recorded }: Staged,
    connection: PoolClient,
  ): Promise<readonly RecordedEvent[]> {
    const { stream, expected, events } = append;
    const transaction = { connection, onCommit: (work: () => void) => this.onCommit(work) };
    try {
      const appended = await this.services.store.append(stream, expected, events, transaction);
      // Another attempt of this request recorded them after the plan had read the stream; a new plan finds
      // them.
      if (appended.repeated && this.context.idempotencyKey !== null) throw new StaleDecisionError(null);
      return recorded(appended);
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError && onConflict === 'decide_again')
        throw new StaleDecisionError(stream);
      throw error;
    }
  }

  /** Parts of a plan that start concurrently share one transaction. */
  private begin(): Promise<OpenTransaction> {
    this.beginning ??= this.inSlot();
    return this.beginning;
  }

  private async inSlot(): Promise<OpenTransaction> {
    const leave = await slotsOf(this.services.executor).enter();
    try {
      return await beginTransaction(this.services.executor, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }
}
