import type { LocalDate } from '#kernel/dates.js';
import type { ContextOf, Seeding } from './seeding.js';

/**
 * What a step works with: its events are recorded at its moment, and its contexts have that day as the
 * present one.
 */
export interface StepContext extends Seeding {
  readonly contextOf: ContextOf;
}

/** Something that happened at a moment. */
export interface Step {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /**
   * Whose step it is: the steps of one person follow one another. Null for a step of the organisation, which
   * has no step beside it.
   */
  readonly who: string | null;
  /** The day on which what it records takes effect. */
  readonly effectiveOn?: LocalDate | null;
  readonly run: (stepContext: StepContext) => Promise<void>;
}

/**
 * Takes the steps in the order of their moments. Those of different people in the same month may change
 * places: what they record is in streams that have nothing to do with each other.
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

/** As many people at a time as keep both the program and the database at work. */
const WIDTH = 4;

/** Does the work for each item, some at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const workOn = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: WIDTH }, workOn));
}
