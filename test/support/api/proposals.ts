import type { CallToolResult } from '@modelcontextprotocol/client';
import { call, connect } from '../mcp.js';
import type { TestApi, TestOrganisation } from './test-api.js';

/**
 * Proposes another job for a person, with a key of its own where none is given, and returns the proposal's
 * id.
 */
export async function proposeJob(
  api: TestApi,
  of: TestOrganisation,
  personId: string,
  apiKey?: string,
): Promise<string> {
  const client = await connect(api.url, apiKey ?? (await api.key(of.row)).apiKey);
  try {
    const values = { person_id: personId, start_date: '2026-01-01', job_title: 'Proposed' };
    return proposedId(await call(client, 'change_terms', values));
  } finally {
    await client.close();
  }
}

function proposedId({ structuredContent, isError, content }: CallToolResult): string {
  if (isError === true) throw new Error(`nothing was proposed: ${JSON.stringify(content)}`);
  return (structuredContent as { readonly data: { readonly id: string } }).data.id;
}
