import { type Answer, answerOf } from '@workforce-hr/client';
import { client, type Schemas } from '../../data/client.js';
import type { Fact } from './dated-terms.js';

/** The beliefs about a person's employment, with the entity tag of that knowledge. */
export type History = Answer<{ readonly data: Schemas['TimelineResponse'] }>;

/** Reads the beliefs about every day. */
export const readHistory = (personId: string): Promise<History> =>
  answerOf(client.GET('/people/{personId}/timeline', { params: { path: { personId } } }));

/** Reads every fact of a person, newest first. */
export async function readFacts(personId: string): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 200, ...(cursor === null ? {} : { cursor }) };
    const page = await answerOf(
      client.GET('/people/{personId}/employment-history', { params: { path: { personId }, query } }),
    );
    facts.push(...page.data);
    cursor = page.pagination.next_cursor || null;
  } while (cursor !== null);
  return facts;
}
