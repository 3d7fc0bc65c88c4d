import type { LocalDate } from '#kernel/dates.js';
import type { ContextOf, Seeding } from './seeding.js';

/**
 * The context of a step: its events are recorded at the instant of the step, and that day is its current day.
 */
export interface StepContext extends Seeding {
  readonly contextOf: ContextOf;
}

/** Work that happens at an instant of the history. */
export interface Step {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /**
   * The person of the step: steps of one person run in sequence. Null for a step of the organisation, during
   * which no other step runs.
   */
  readonly who: string | null;
  /** The day on which its fact takes effect. */
  readonly effectiveOn?: LocalDate | null;
  readonly run: (stepContext: StepContext) => Promise<void>;
}

/**
 * Runs the steps in the order of their instants. Steps of different people in the same month may run in any
 * order, because they write to independent streams.
 */
export async function runSteps(steps: readonly Step[], contextAt: (instant: string) => StepContext): Promise<void> {
  const inOrder = [...steps].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  for (const group of groupsOf(inOrder)) {
    await inParallel([...group.values()], async (ofOne) => {
      for (const step of ofOne) await step.run(contextAt(step.at));
    });
  }
}

function groupsOf(steps: readonly Step[]): readonly ReadonlyMap<string, readonly Step[]>[] {
  const groups: Map<string, Step[]>[] = [];
  let name = '';
  for (const [index, step] of steps.entries()) {
    const requested = step.who === null ? `step ${index}` : step.at.slice(0, 7);
    if (requested !== name) groups.push(new Map());
    name = requested;
    const group = groups.at(-1)!;
    const who = step.who ?? '';
    const own = group.get(who);
    if (own === undefined) group.set(who, [step]);
    else own.push(step);
  }
  return groups;
}

/** The number of people at a time that keeps both the program and the database busy. */
const WIDTH = 4;

/** Does the work for each item, {@link WIDTH} at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const workOn = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, workOn));
}
