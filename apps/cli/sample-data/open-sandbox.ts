import { SandboxBusyError } from '#access/sandbox/purge-sandboxes.js';
import { findSandbox, type OpenSandbox } from '#access/sandbox/sandbox.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { operatorContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import type { Installation } from '../installation.js';
import { showProgress } from '../progress.js';
import { SANDBOX } from './data-files.js';
import { refreshSandbox } from './refresh-sandbox.js';
import { openSeeding } from './seeding.js';

/** Makes the sandbox of an organisation that has none; for `keys create`. */
export async function ensureSandbox(installation: Installation, owner: OrganisationRow, quiet: boolean): Promise<void> {
  if (owner.is_sandbox || (await findSandbox(installation.pool, owner.id)) !== null) return;
  await refreshWithProgress(installation, owner, quiet);
}

/** Refreshes the sandbox of an organisation, with a bar on a terminal. Throws {@link CommandError}. */
export async function refreshWithProgress(
  installation: Installation,
  owner: OrganisationRow,
  quiet: boolean,
): Promise<OpenSandbox> {
  const progress = showProgress('Sandbox', SANDBOX.people.length, 'people', quiet);
  try {
    return await refreshSandbox(await openSeeding(installation), operatorContext(owner), (done) =>
      progress.update(done),
    );
  } catch (error) {
    if (error instanceof SandboxBusyError) throw new CommandError(error.message, { cause: error });
    throw error;
  } finally {
    progress.stop();
  }
}
