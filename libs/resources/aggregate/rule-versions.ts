import { foldRecorded } from '#event-store/handle-command.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { DomainEvent } from '#kernel/decider.js';
import { canonicalJson, type JsonObject } from '#kernel/json.js';
import type { Stream } from '#projections/projection.js';

/** Rules as they stood from the moment on when they were recorded (ISO 8601). */
export type RuleVersion<Rules extends JsonObject> = Rules & { readonly recorded_at: string };

/** How rules are read from a stream's state: null before there are any. */
export interface RulesOfStream<State, Event extends DomainEvent, Rules extends JsonObject> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly rules: (state: State) => Rules | null;
}

/** Every version of the rules that a stream holds, oldest first. An event that leaves them as they were makes none. */
export function versionsOf<State, Event extends DomainEvent, Rules extends JsonObject>(
  definition: RulesOfStream<State, Event, Rules>,
  stream: Stream,
): readonly RuleVersion<Rules>[] {
  const versions: RuleVersion<Rules>[] = [];
  let state = definition.initial;
  let last: string | null = null;
  for (const event of stream) {
    state = foldRecorded({ initial: state, evolve: definition.evolve }, [event]);
    const rules = definition.rules(state);
    const text = rules === null ? null : canonicalJson(rules);
    if (rules !== null && text !== last) versions.push({ ...rules, recorded_at: event.recordedAt });
    last = text;
  }
  return versions;
}

/**
 * The version in force on a day: the last one recorded on that day or before it, by the organisation's time zone. Days
 * before the first version go by the first, because nothing else was ever said of them. Null where there is none.
 */
export function versionOn<Version extends { readonly recorded_at: string }>(
  versions: readonly Version[],
  day: LocalDate,
  timeZone: string,
): Version | null {
  return versions.findLast((version) => dateIn(timeZone, new Date(version.recorded_at)) <= day) ?? versions[0] ?? null;
}
