import type { Pool } from 'pg';
import { SYSTEM_CLOCK } from '#api/listener.js';
import type { CommandServices } from '#commands/services.js';
import { listOpenImports } from '#csv-import/import-jobs.js';
import { runRequestedImport } from '#imports/run-imports.js';
import { testCommandBus } from '../command-bus.js';
import type { ApiClient } from './http-client.js';
import type { TestApi } from './test-api.js';

/**
 * Asks for the import of people with these addresses, one a row. An address that is none makes a problem.
 * Returns the import's id.
 */
export async function newImport(client: ApiClient, emails: readonly string[] = ['kim@example.com']): Promise<string> {
  const body = { kind: 'people', file_name: 'starters.csv', csv: ['work_email', ...emails, ''].join('\n') };
  return await client.make('/imports', body);
}

/** Does what jobs do with the imports that are open now, one after the other. */
export async function runImports({
  database: { pool },
  services,
}: Pick<TestApi, 'database'> & { services: CommandServices }): Promise<void> {
  const parts = { pool, commands: await testCommandBus(services, services.executor as Pool), clock: SYSTEM_CLOCK };
  for (const open of await listOpenImports(pool)) await runRequestedImport(parts, open, new AbortController().signal);
}

/** Asks for an import, and has it checked. Returns its id. */
export async function checkedImport(api: TestApi, client: ApiClient, emails?: readonly string[]): Promise<string> {
  const id = await newImport(client, emails);
  await runImports(api);
  return id;
}

/**
 * Leaves a file to the workers that would change the first and the last name of a person, and checks it;
 * gives the id of the import.
 */
export async function checkedChanges(api: TestApi, client: ApiClient, workEmail: string): Promise<string> {
  const csv = `work_email,first_name,last_name\n${workEmail},Renamed,Anew\n`;
  const { json } = await client.post<{ id: string }>('/imports', { kind: 'people', file_name: 'names.csv', csv });
  await runImports(api);
  return json.data.id;
}
