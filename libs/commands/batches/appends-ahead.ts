import { plainArray, textArray } from '#database/arrays.js';
import {
  type AppendsOfBatch,
  type Appended,
  type BatchedAppends,
  type EventStore,
  type WriteOutcome,
  WrongExpectedRevisionError,
} from '#event-store/event-store.js';

/** Of the statement: the numbers of the writes, their outcomes, and the times at which they were recorded. */
const TYPES = ['int[]', 'text[]', 'text[]'];

/**
 * Appends before the statement, for a store whose events are in another database than the other records. Takes writes of one append without
 * conditions, because nothing but the revision of its own stream can decide there whether a write is recorded.
 *
 * An append that is there already counts as `refused`: it may be of another request under the same key, whose answer would be another one.
 */
export function appendsAhead(store: EventStore): AppendsOfBatch {
  return {
    isTransactional: false,
    parameters: TYPES.length,
    call: (first) =>
      `(select w.* from unnest(${TYPES.map((type, index) => `$${first + index}::${type}`).join(', ')}) as w (write, outcome, recorded))`,
    run: async (writes, statement) => {
      const appends = writes.map(onlyAppendOf);
      const outcomes = (await store.appendMany(appends)).map(outcomeOf);
      if (!outcomes.some(({ outcome }) => outcome === 'appended')) return outcomes;
      return statement([
        plainArray(outcomes.map((_, index) => index + 1)),
        textArray(outcomes.map(({ outcome }) => outcome)),
        textArray(outcomes.map(({ recorded }) => recorded)),
      ]);
    },
  };
}

function onlyAppendOf({ appends, conditions }: BatchedAppends): BatchedAppends['appends'][number] {
  const [append] = appends;
  if (append === undefined || appends.length > 1 || conditions.length > 0)
    throw new Error('a write with several appends or with conditions needs one transaction');
  return append;
}

function outcomeOf(appended: Appended | WrongExpectedRevisionError): WriteOutcome {
  if (appended instanceof WrongExpectedRevisionError) return { outcome: 'refused', recorded: '' };
  return { outcome: appended.repeated ? 'refused' : 'appended', recorded: appended.recordedAt };
}
