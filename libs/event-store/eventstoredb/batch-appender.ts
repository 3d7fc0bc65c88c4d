import { randomUUID } from 'node:crypto';
import { outcomeOf } from '../append-outcome.js';
import { ImportOrderError, type Append, type Appended, type Position, type WrongExpectedRevisionError } from '../event-store.js';
import type { SerialisedImport } from '../import-runs.js';
import { checkAppend, serialiseAppend, type SerialisedEvent } from '../new-events.js';
import { appendedOf, type Appender } from './appender.js';
import { appendInOrder, type BatchOutcome } from './batch-append.js';
import type { Calls } from './calls.js';
import { AnsweredError, appendError } from './errors.js';
import { rawEvent } from './messages.js';
import type { Place, PreparedAppend } from './prepared-append.js';
import type { Reader } from './reader.js';
import { appendedOfRaw, recordedEvent, storedMetadataText } from './recorded-event.js';

/** What many appends in one call need. */
export interface BatchAppenderParts {
  readonly calls: Calls;
  readonly reader: Reader;
  /** For appends that need a look at their stream. */
  readonly appender: Appender;
}

/** Makes many appends over one call: they are recorded in their order, and none waits for the answer to the one before it. */
export class BatchAppender {
  constructor(private readonly parts: BatchAppenderParts) {}

  /**
   * As {@link EventStore.appendMany}. An append's answer does not tell when the event was recorded; that is read from the end of the log
   * for all appends at once.
   */
  async appendMany(appends: readonly Append[]): Promise<readonly (Appended | WrongExpectedRevisionError)[]> {
    const { calls, reader, appender } = this.parts;
    const call = randomUUID();
    const prepared = appends.map((append) => prepare(append, call));
    const outcomes = (await appendInOrder(calls, prepared, { stopsAtRefusal: false }).catch((error: unknown) => {
      throw appendError(error);
    })) as readonly BatchOutcome[];
    const landed = outcomes.flatMap((outcome, index): readonly (readonly [string, number])[] =>
      outcome instanceof AnsweredError ? [] : [[appends[index]!.stream, outcome.revision]],
    );
    const found = await reader.atTheEnd(new Map(landed), sum(appends.map(({ events }) => events.length)));
    const results: (Appended | WrongExpectedRevisionError)[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const append = appends[index]!;
      const last = found.get(append.stream);
      if (last !== undefined) {
        results.push(appendedOfRaw(rawEvent(last.message), call));
        continue;
      }
      const lookedFor =
        outcome instanceof AnsweredError
          ? appender.repeatOrConflict(append, append.expected, outcome)
          : appender.eventAt(append.stream, BigInt(outcome.revision));
      results.push(await outcomeOf(lookedFor.then((event) => appendedOf(event, call))));
    }
    return results;
  }

  /**
   * As {@link EventStore.importEvents}, for runs of one stream each: gives the position of each run's last event. Throws {@link
   * ImportOrderError} where the server did not keep the order of the runs.
   */
  async importRuns(runs: readonly (readonly SerialisedImport[])[]): Promise<readonly Position[]> {
    const call = randomUUID();
    const positions: Position[] = [];
    while (positions.length < runs.length) {
      const left = runs.slice(positions.length);
      const prepared = left.map((run) => prepareRun(run, call));
      for (const [index, outcome] of (await appendInOrder(this.parts.calls, prepared, { stopsAtRefusal: true })).entries()) {
        if (outcome === undefined) break;
        positions.push(await this.positionOf(left[index]!, outcome));
        if (outcome instanceof AnsweredError) break;
      }
    }
    if (positions.some((position, index) => index > 0 && position <= positions[index - 1]!)) throw new ImportOrderError();
    return positions;
  }

  private async positionOf(run: readonly SerialisedImport[], outcome: Place | AnsweredError): Promise<Position> {
    if (outcome instanceof AnsweredError) return this.importOneByOne(run);
    return outcome.position ?? recordedEvent(await this.parts.appender.eventAt(run[0]!.event.stream, BigInt(outcome.revision))).position;
  }

  /** A part of the run may be there from a time when it was cut otherwise. */
  private async importOneByOne(run: readonly SerialisedImport[]): Promise<Position> {
    let position: Position = '';
    for (const { event } of run) {
      const { stream, revision, recordedAt } = event;
      const append = { stream, expected: expectedAt(revision), events: [event], recordedTimes: [recordedAt] };
      ({ position } = await this.parts.appender.append(append));
    }
    return position;
  }
}

function prepareRun(run: readonly SerialisedImport[], call: string): PreparedAppend {
  const { stream, revision } = run[0]!.event;
  checkAppend(
    stream,
    run.map(({ text }) => text),
  );
  return {
    stream,
    expected: expectedAt(revision),
    events: run.map(({ event, text }) => prepareEvent(text, call, event.recordedAt)),
  };
}

function prepare({ stream, expected, events }: Append, call: string): PreparedAppend {
  return { stream, expected, events: serialiseAppend(stream, events).map((event) => prepareEvent(event, call)) };
}

function prepareEvent({ id, type, data, metadata }: SerialisedEvent, call: string, recordedAt?: string): SerialisedEvent {
  return { id, type, data, metadata: storedMetadataText(metadata, call, recordedAt) };
}

function expectedAt(revision: number): 'none' | number {
  return revision === 0 ? 'none' : revision - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
