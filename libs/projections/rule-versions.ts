import type { LocalDate } from '#kernel/dates.js';
import { type DomainEvent, foldRecorded } from '#kernel/aggregate.js';
import { canonicalJson, type JsonObject } from '#kernel/json.js';
import type { Stream } from './projection.js';

/** Rules from the time at which they were recorded (ISO 8601). */
export type RuleVersion<Rules extends JsonObject> = Rules & { readonly recorded_at: string };

/** How rules are read from a stream; `rules` returns null if the stream has none yet. */
export interface RulesOfStream<State, Event extends DomainEvent, Rules extends JsonObject> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly rules: (state: State) => Rules | null;
}

/**
 * Every version of the rules in a stream, oldest first. An event that does not change them creates no
 * version.
 */
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
 * The version in force on a day: the last one recorded on that day or before it. Days before the first
 * version use the first, because none existed earlier. Null without versions.
 * @param dateOf - converts a recorded time (ISO 8601) to the date where the organisation was at that time
 */
export function versionOn<Version extends { readonly recorded_at: string }>(
  versions: readonly Version[],
  day: LocalDate,
  dateOf: (time: string) => LocalDate,
): Version | null {
  return versions.findLast((version) => dateOf(version.recorded_at) <= day) ?? versions[0] ?? null;
}

/** Versions, and the rules of all days before the first of them. */
export interface VersionsAfter<Rules, Version> {
  readonly opening: Rules;
  /** Oldest first. */
  readonly later: readonly Version[];
}

/**
 * Splits the versions of rules with defaults at the time since which the rules are in use: the version in
 * force then also applies to every earlier day, and each later version applies from its own day on. So no
 * version changes results for earlier days: if a result could already have been read, days before the first
 * version use the defaults.
 * @param inUseSince - null if the rules are not in use yet
 */
export function versionsInUse<Rules extends JsonObject>(
  versions: readonly RuleVersion<Rules>[],
  defaults: Rules,
  inUseSince: Date | null,
): VersionsAfter<Rules, RuleVersion<Rules>> {
  const firstLater = versions.findIndex(({ recorded_at: time }) => inUseSince !== null && new Date(time) > inUseSince);
  const before = firstLater === -1 ? versions.length : firstLater;
  return { opening: versions[before - 1] ?? defaults, later: versions.slice(before) };
}
