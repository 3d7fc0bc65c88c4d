import type { LocalDate } from '#kernel/dates.js';
import { calendarOf } from './calendar.js';
import { SANDBOX } from './data-files.js';
import { personIdsOf, personSteps } from './person-steps.js';
import { sandboxPeople } from './sandbox-people.js';
import { seedContexts } from './seed-context.js';
import { limitOverdrafts, seedHeads, seedMappings, seedSettings, wantedSettings } from './seed-settings.js';
import type { Seeding } from './seeding.js';
import { inParallel } from './steps.js';

/**
 * Fills an empty sandbox tenant with settings and the people of `data/sandbox.json`, at the present moment.
 * Ids derive from what is made alone, so they are the same in every tenant. `onPerson` receives how many
 * people are done.
 */
export async function seedSandbox(
  seeding: Seeding,
  tenantId: string,
  today: LocalDate,
  onPerson: (done: number) => void,
): Promise<void> {
  const contextOf = seedContexts(tenantId, today, ['sandbox']);
  const stepContext = { ...seeding, contextOf };
  const settings = await seedSettings(stepContext, wantedSettings(SANDBOX));
  await seedMappings(stepContext, settings);
  const people = sandboxPeople(today);
  const personIds = personIdsOf(seeding.mint, contextOf, people);
  const calendar = calendarOf(today);
  const lives = people.map((person, number) => personSteps({ person, number, personIds, settings, calendar }));
  // In their order one by one, so that lists show them so.
  for (const [hire] of lives) await hire.run(stepContext);
  let done = 0;
  await inParallel(lives, async ([, ...steps]) => {
    for (const step of steps) await step.run(stepContext);
    onPerson((done += 1));
  });
  await seedHeads(stepContext, settings, SANDBOX.heads, personIds);
  await limitOverdrafts(stepContext, settings);
}
