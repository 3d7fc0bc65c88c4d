import { findSandbox, type OpenSandbox } from '#access/sandbox/sandbox.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { command } from '../command.js';
import { commandServices } from '../command-context.js';
import { CommandError, NotFoundError } from '../command-error.js';
import { countInWords } from '#kernel/count-in-words.js';
import type { Installation } from '../installation.js';
import { ORGANISATION } from '../options.js';
import { describeSandbox } from '../sample-data/describe-sandbox.js';
import { refreshWithProgress } from '../sample-data/refresh-sandbox.js';
import { tableOf } from '../text-table.js';

/** `workforce sandbox …`: the synthetic data that an organisation's test keys work with. */
export const commands = {
  refresh: command({
    description: 'reset the sandbox to its first state: deletes everything that tests wrote and keeps the ids',
    options: { organisation: ORGANISATION },
    run: async ({ organisation: owner }, { installation, json }) => {
      requireOwner(owner);
      const sandbox = await refreshWithProgress(installation, owner, json);
      const described = await describe(installation, sandbox);
      const people = countInWords(described.people.length, 'person', 'people');
      return {
        json: described,
        text: `The sandbox of ${owner.name} is in its first state, as of ${sandbox.openedOn}: ${people}. Test keys keep working; webhooks that tests created are deleted.`,
      };
    },
  }),
  show: command({
    description: 'list the people in the sandbox, with the ids that tests can use',
    options: { organisation: ORGANISATION },
    run: async ({ organisation: owner }, { installation }) => {
      requireOwner(owner);
      const sandbox = await findSandbox(installation.pool, owner.id);
      if (sandbox === null)
        throw new NotFoundError(
          `${owner.name} has no sandbox yet: workforce sandbox refresh --organisation ${owner.subdomain} makes it.`,
        );
      const described = await describe(installation, sandbox);
      const others = Object.entries(described.resources).flatMap(([kind, named]) =>
        named.map(({ id, name }) => ({ kind, name, id })),
      );
      const text = [
        `The sandbox of ${owner.name}, last refreshed on ${sandbox.openedOn}; commands accept it as --organisation ${sandbox.subdomain}.`,
        tableOf(
          { 'STAFF ID': 'staff_id', 'WORK E-MAIL': 'work_email', ID: ({ id }) => id ?? '-', 'EXAMPLE OF': 'example' },
          described.people,
        ),
        tableOf({ KIND: 'kind', NAME: 'name', ID: 'id' }, others),
      ].join('\n\n');
      return { json: described, text };
    },
  }),
};

function describe(installation: Installation, sandbox: OpenSandbox) {
  return describeSandbox(installation.pool, commandServices(installation).mint, sandbox);
}

/** Throws {@link CommandError} where an organisation is itself a sandbox. */
function requireOwner(owner: OrganisationRow): void {
  if (owner.is_sandbox)
    throw new CommandError(`${owner.subdomain} is itself a sandbox: name the organisation that owns it.`);
}
