import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { SandboxBusyError } from '#access/sandbox/purge-sandboxes.js';
import { findSandbox, type OpenSandbox } from '#access/sandbox/sandbox.js';
import type { Call, Outcome } from '../declaration.js';
import { commandServices, operatorContext } from '../command-context.js';
import { CommandError, NotFoundError } from '../command-error.js';
import { type Installation, withInstallation } from '../installation.js';
import { showProgress } from '../progress.js';
import { sandboxPeople } from '../sample-data/sandbox-people.js';
import { describeSandbox, sandboxJson } from '../sample-data/describe-sandbox.js';
import { refreshSandbox } from '../sample-data/refresh-sandbox.js';
import { openSeeding } from '../sample-data/seeding.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';
import { countInWords } from '../count-in-words.js';

/** `workforce sandbox refresh`. */
export function refresh(call: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const owner = await requireOwner(installation, call);
    const sandbox = await refreshShowingProgress(installation, owner, call.json);
    const described = await describeSandbox(installation.pool, commandServices(installation).mint, sandbox);
    const text = `The sandbox of ${owner.name} is in its first state, as of ${sandbox.openedOn}: ${countInWords(described.people.length, 'person', 'people')}. Test keys keep working; webhooks that tests created are deleted.`;
    return { json: sandboxJson(described, sandbox.subdomain), text };
  });
}

/** `workforce sandbox show`. */
export function show(call: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const owner = await requireOwner(installation, call);
    const sandbox = await findSandbox(installation.pool, owner.id);
    if (sandbox === null)
      throw new NotFoundError(
        `${owner.name} has no sandbox yet: workforce sandbox refresh --organisation ${owner.subdomain} makes it.`,
      );
    const described = await describeSandbox(installation.pool, commandServices(installation).mint, sandbox);
    const people = described.people.map(({ staffId, workEmail, id, example }) => [
      staffId,
      workEmail,
      id ?? '-',
      example,
    ]);
    const others = Object.entries(described.resources).flatMap(([kind, named]) =>
      named.map(({ id, name }) => [kind, name, id]),
    );
    const text = [
      `The sandbox of ${owner.name}, last refreshed on ${sandbox.openedOn}; commands accept it as --organisation ${sandbox.subdomain}.`,
      textTable(['STAFF ID', 'WORK E-MAIL', 'ID', 'EXAMPLE OF'], people),
      textTable(['KIND', 'NAME', 'ID'], others),
    ].join('\n\n');
    return { json: sandboxJson(described, sandbox.subdomain), text };
  });
}

/** Makes the sandbox of an organisation that has none; for `keys create`. */
export async function ensureSandbox(installation: Installation, owner: OrganisationRow, quiet: boolean): Promise<void> {
  if (owner.is_sandbox || (await findSandbox(installation.pool, owner.id)) !== null) return;
  await refreshShowingProgress(installation, owner, quiet);
}

async function refreshShowingProgress(
  installation: Installation,
  owner: OrganisationRow,
  quiet: boolean,
): Promise<OpenSandbox> {
  const progress = showProgress('Sandbox', sandboxPeople('2026-01-01').length, 'people', quiet);
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

/** The organisation that the operator named. Throws {@link CommandError} where it is itself a sandbox. */
async function requireOwner({ pool }: Installation, call: Call): Promise<OrganisationRow> {
  const owner = await requireOrganisation(pool, call.options['organisation'] as string);
  if (owner.is_sandbox)
    throw new CommandError(`${owner.subdomain} is itself a sandbox: name the organisation that owns it.`);
  return owner;
}
