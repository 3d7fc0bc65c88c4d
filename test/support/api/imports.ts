import { SYSTEM_CLOCK } from '#api/listener.js';
import { runDueImports } from '#resources/integration/import/run-imports.js';
import type { ApiClient } from './http-client.js';
import { dataOf } from './people.js';
import type { TestApi } from './test-api.js';

/** Asks for the import of people with these addresses, one a row. An address that is none makes a problem. Returns the import's id. */
export async function newImport(client: ApiClient, emails: readonly string[] = ['kim@example.com']): Promise<string> {
  const body = { kind: 'people', file_name: 'starters.csv', csv: ['work_email', ...emails, ''].join('\n') };
  return dataOf(201, await client.post<{ id: string }>('/imports', body)).id;
}

/** Does what workers do with imports, until nothing is due. */
export function runImports({ database, services }: Pick<TestApi, 'database' | 'services'>): Promise<void> {
  return runDueImports({ pool: database.pool, services, clock: SYSTEM_CLOCK }, new AbortController().signal);
}

/** Asks for an import, and has it checked. Returns its id. */
export async function checkedImport(api: TestApi, client: ApiClient, emails?: readonly string[]): Promise<string> {
  const id = await newImport(client, emails);
  await runImports(api);
  return id;
}

/** Leaves a file to the workers that would change the first and the last name of a person, and checks it; gives the id of the import. */
export async function checkedChanges(api: TestApi, client: ApiClient, workEmail: string): Promise<string> {
  const csv = `work_email,first_name,last_name\n${workEmail},Renamed,Anew\n`;
  const { json } = await client.post<{ id: string }>('/imports', { kind: 'people', file_name: 'names.csv', csv });
  await runImports(api);
  return json.data.id;
}
