import type { CommandContext } from '#commands/command-context.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import { purgeSandboxes, withSandboxLock } from '#access/sandbox/purge-sandboxes.js';
import { OpenSandbox, PrepareSandbox } from '#access/sandbox/sandbox.api.js';
import { findSandbox, type OpenSandbox as OpenedSandbox } from '#access/sandbox/sandbox.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { showProgress } from '../progress.js';
import { calendarOf } from './calendar.js';
import { SANDBOX } from './data-files.js';
import { personIdsOf, personSteps } from './person-steps.js';
import { sandboxPeople } from './sandbox-people.js';
import { limitOverdrafts, seedHeads, seedMappings, seedSettings } from './seed-settings.js';
import { openSeeding, seedContexts, type Seeding } from './seeding.js';
import { inParallel } from './steps.js';

/** Creates the sandbox of an organisation that has none; for `keys create`. */
export async function ensureSandbox(installation: Installation, owner: OrganisationRow, quiet: boolean): Promise<void> {
  if (owner.is_sandbox || (await findSandbox(installation.pool, owner.id)) !== null) return;
  await refreshWithProgress(installation, owner, quiet);
}

/** Refreshes the sandbox of an organisation, with a bar on a terminal. Throws `SandboxBusyError`. */
export async function refreshWithProgress(
  installation: Installation,
  owner: OrganisationRow,
  quiet: boolean,
): Promise<OpenedSandbox> {
  const progress = showProgress('Sandbox', SANDBOX.people.length, 'people', quiet);
  try {
    const seeding = await openSeeding(installation);
    return await refreshSandbox(seeding, operatorContext(owner), (done) => progress.update(done));
  } finally {
    progress.stop();
  }
}

/**
 * Resets the sandbox of the context's organisation to its first state, and creates it if there is none. A new
 * tenant is filled while the old one is in use; then test keys act for the new one, and the data of the old
 * one are deleted. After a crash either the old tenant or the new one is in use, and the next refresh does
 * the remaining work. Throws `SandboxBusyError`.
 */
export function refreshSandbox(
  seeding: Seeding,
  context: CommandContext,
  onPerson: (done: number) => void = () => undefined,
): Promise<OpenedSandbox> {
  const { pool, send } = seeding;
  return withSandboxLock(pool, async () => {
    const tenant = await send(new PrepareSandbox(context));
    const today = dateIn(tenant.time_zone, tenant.created_at);
    await seedSandbox(seeding, tenant.id, today, onPerson);
    await send(new OpenSandbox(context, tenant.id, today));
    await purgeSandboxes(pool, 'rows');
    return (await findSandbox(pool, context.organisationId))!;
  });
}

/**
 * Fills an empty tenant with settings and the people of `data/sandbox.json`, at the current time. Ids derive
 * from the content only, so they are the same in every tenant. `onPerson` receives the number of finished
 * people.
 */
export async function seedSandbox(
  seeding: Seeding,
  tenantId: string,
  today: LocalDate,
  onPerson: (done: number) => void,
): Promise<void> {
  const contextOf = seedContexts(tenantId, today, ['sandbox']);
  const stepContext = { ...seeding, contextOf };
  const settings = await seedSettings(stepContext, SANDBOX);
  await seedMappings(stepContext, settings);
  const people = sandboxPeople(today);
  const personIds = personIdsOf(seeding.mint, contextOf, people);
  const calendar = calendarOf(today);
  const lives = people.map((person, number) => personSteps({ person, number, personIds, settings, calendar }));
  // One by one in their order, which lists then have.
  for (const [hire] of lives) await hire.run(stepContext);
  let done = 0;
  await inParallel(lives, async ([, ...steps]) => {
    for (const step of steps) await step.run(stepContext);
    onPerson((done += 1));
  });
  await seedHeads(stepContext, settings, SANDBOX.heads, personIds);
  await limitOverdrafts(stepContext, settings);
}
