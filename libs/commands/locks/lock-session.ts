import pg from 'pg';
import { DatabaseUnavailableError } from '#database/errors.js';
import { Lease } from '#database/sessions/lease.js';

/** How long an unused lock is kept for its next user. Writes that often use the same lock then need no query. */
const LINGER_MILLISECONDS = 100;
/** After this time of continuous use, the session asks whether another session waits for the lock exclusively. */
const WATCH_AFTER_MILLISECONDS = 250;
/** A session is closed after this time without a lock. */
const IDLE_MILLISECONDS = 10_000;
const TICK_MILLISECONDS = 50;

/** A lock that the session holds or has requested. */
export interface HeldLock {
  readonly name: string;
  /** False where another session holds the lock exclusively or waits for that. Rejects where the connection breaks. */
  readonly isGranted: Promise<boolean>;
  /** When the answer arrived (`performance.now()`). */
  grantedAt: number;
  /** Whether the latest retirement of the aggregate may be recorded but not yet projected. */
  isUnfinished: boolean;
  /** The work that finishes this retirement; the first caller that needs it starts it. */
  finishing: Promise<void> | null;
}

interface Lock extends HeldLock {
  readonly answer: (isGranted: boolean) => void;
  readonly fail: (error: unknown) => void;
  users: number;
  /** No caller can join any more; the lock is released when its users have left. */
  isClosing: boolean;
  usedAt: number;
  watchedAt: number;
}

/** A client that can keep the process alive or not; its published types lack both methods. */
type CountedClient = pg.Client & { ref(): void; unref(): void };

interface Answer {
  readonly name: string;
  readonly is_granted: boolean;
  readonly is_unfinished: boolean;
  readonly is_awaited: boolean;
}

/**
 * The shared locks of a process, on one separate connection. Many users share a lock. The session requests it for the first user
 * and releases it some time after the last. Requests that arrive while a statement runs are sent together in the next one.
 */
export class LockSession {
  private readonly locks = new Map<string, Lock>();
  private asked: Lock[] = [];
  private released: string[] = [];
  private watched: Lock[] = [];
  private isTalking = false;
  private over = false;
  private idleSince = performance.now();
  private timer: NodeJS.Timeout | null = null;
  private lease: Lease | null = null;

  private constructor(private readonly connection: CountedClient) {}

  /** Connects. Throws what the database throws. */
  static async open(options: pg.ClientConfig): Promise<LockSession> {
    const name = `${options.application_name ?? 'workforce'} references`;
    // No statement of the session waits for a lock. Where the server hangs, the heartbeat of the lease waits for its answer too, and says so.
    const connection = new pg.Client({ ...options, application_name: name }) as CountedClient;
    const session = new LockSession(connection);
    const lose = (): void => session.close(new DatabaseUnavailableError('the connection that held locks was lost'));
    connection.on('error', lose).on('end', lose);
    try {
      await connection.connect();
      session.lease = await Lease.keep(connection, lose);
    } catch (error) {
      session.close(error);
      throw error;
    }
    session.timer = setInterval(() => session.tick(), TICK_MILLISECONDS).unref();
    // The connection must not keep an otherwise finished process alive.
    connection.unref();
    return session;
  }

  /** Whether it is closed, after idling or because the connection broke. The process then needs a new session. */
  get isOver(): boolean {
    return this.over;
  }

  /** Throws `DatabaseUnavailableError` where another session may hold its locks by now. */
  assertHeld(): void {
    if (this.over || this.lease === null) throw new DatabaseUnavailableError('the connection that held locks was lost');
    this.lease.assertHeld();
  }

  /** Adds a user to each of these locks, and requests the locks that are not held; returns null where one of them is being released. */
  join(names: readonly string[]): readonly HeldLock[] | null {
    if (names.some((name) => this.locks.get(name)?.isClosing === true)) return null;
    const joined = names.map((name) => this.locks.get(name) ?? this.ask(name));
    for (const lock of joined) lock.users += 1;
    return joined;
  }

  /** Removes the caller from the users of these locks. A lock without users is kept for `linger` milliseconds for its next user. */
  leave(joined: readonly HeldLock[], linger = LINGER_MILLISECONDS): void {
    const now = performance.now();
    for (const lock of joined as readonly Lock[]) {
      lock.users -= 1;
      lock.usedAt = now;
      if (lock.users === 0 && (lock.isClosing || linger === 0)) this.letGo(lock);
    }
  }

  /** Admits no further users of this lock until it is released, because a caller in this process wants it exclusively. */
  yield(name: string): void {
    const lock = this.locks.get(name);
    if (lock !== undefined) this.drain(lock);
  }

  private ask(name: string): Lock {
    let answer: Lock['answer'] = () => undefined;
    let fail: Lock['fail'] = () => undefined;
    const isGranted = new Promise<boolean>((resolve, reject) => ([answer, fail] = [resolve, reject]));
    // The callers that joined receive the failure; without them, the rejection needs no handling.
    isGranted.catch(() => undefined);
    const now = performance.now();
    const lock: Lock = {
      name,
      isGranted,
      answer,
      fail,
      grantedAt: Infinity,
      isUnfinished: false,
      finishing: null,
      users: 0,
      isClosing: false,
      usedAt: now,
      watchedAt: now,
    };
    this.locks.set(name, lock);
    this.asked.push(lock);
    this.talk();
    return lock;
  }

  private drain(lock: Lock): void {
    lock.isClosing = true;
    if (lock.users === 0) this.letGo(lock);
  }

  private letGo(lock: Lock): void {
    if (this.locks.get(lock.name) !== lock) return;
    this.locks.delete(lock.name);
    this.released.push(lock.name);
    this.talk();
  }

  private tick(): void {
    const now = performance.now();
    for (const lock of this.locks.values()) {
      if (lock.users === 0 && now - lock.usedAt >= LINGER_MILLISECONDS) this.letGo(lock);
      else if (!lock.isClosing && now - lock.watchedAt >= WATCH_AFTER_MILLISECONDS) this.watch(lock, now);
    }
    if (this.locks.size > 0 || this.isTalking) this.idleSince = now;
    else if (now - this.idleSince >= IDLE_MILLISECONDS) this.close(new DatabaseUnavailableError('the session of locks is closed'));
  }

  private watch(lock: Lock, now: number): void {
    lock.watchedAt = now;
    this.watched.push(lock);
    this.talk();
  }

  private talk(): void {
    if (this.isTalking || this.over) return;
    this.isTalking = true;
    this.connection.ref();
    void this.converse().catch((error: unknown) => this.close(error));
  }

  private async converse(): Promise<void> {
    // Requests of the same turn of the event loop go into one statement.
    await Promise.resolve();
    while (this.asked.length + this.released.length + this.watched.length > 0) {
      const { asked, released, watched } = this;
      [this.asked, this.released, this.watched] = [[], [], []];
      const sentAt = performance.now();
      const { rows } = await this.connection.query<Answer>({
        name: 'settle-reference-locks',
        text: 'select name, is_granted, is_unfinished, is_awaited from settle_reference_locks($1::text[], $2::text[], $3::text[])',
        values: [released, asked.map(({ name }) => name), watched.map(({ name }) => name)],
      });
      this.lease?.heard(sentAt);
      asked.forEach((lock, index) => this.granted(lock, rows[index]!));
      watched.forEach((lock, index) => rows[asked.length + index]!.is_awaited && this.drain(lock));
    }
    this.isTalking = false;
    this.connection.unref();
  }

  private granted(lock: Lock, answer: Answer): void {
    if (!answer.is_granted && this.locks.get(lock.name) === lock) this.locks.delete(lock.name);
    lock.isUnfinished = answer.is_unfinished;
    lock.grantedAt = lock.usedAt = lock.watchedAt = performance.now();
    lock.answer(answer.is_granted);
  }

  private close(reason: unknown): void {
    if (this.over) return;
    this.over = true;
    if (this.timer !== null) clearInterval(this.timer);
    for (const lock of this.locks.values()) lock.fail(reason);
    this.locks.clear();
    // Closing the connection releases its locks, even where this query fails.
    void this.lease?.end().catch(() => undefined);
    void this.connection.end().catch(() => undefined);
  }
}
