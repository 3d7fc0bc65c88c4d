import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Context, Outcome, Readers } from './declaration.js';
import { withInstallation } from './installation.js';
import { sendAsOperator } from './send-as-operator.js';

/**
 * Opens the installation, finds what the parameters name, the organisation first, because the others are
 * within it, and runs a command.
 */
export function runOpen(
  { organisation: organisationOf, ...readers }: Readers,
  { json, makes }: { readonly json: boolean; readonly makes: boolean },
  run: (given: Readonly<Record<string, unknown>>, context: Context) => Promise<Outcome>,
): Promise<Outcome> {
  return withInstallation(
    async (installation) => {
      const { pool } = installation;
      const named = (await organisationOf?.({ pool, organisation: null })) as OrganisationRow | undefined;
      const scope = { pool, organisation: named ?? null };
      const given: Record<string, unknown> = { organisation: named };
      for (const [name, reader] of Object.entries(readers)) given[name] = await reader(scope);
      const send: Context['send'] = (commandOf, organisation = named!) =>
        sendAsOperator(installation, organisation, commandOf);
      return run(given, { installation, pool, json, send });
    },
    { makes },
  );
}
