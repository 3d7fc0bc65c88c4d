import { PREFIXED_ID_SEGMENTS } from '#kernel/identifier.js';

const RANDOM_IDS = new RegExp(`${PREFIXED_ID_SEGMENTS}|"[0-9a-z]{12}"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, 'g');

/**
 * Returns an answer's text without the ids of records, requests and pages, whose random characters could
 * match anything.
 */
export function withoutIds(text: string): string {
  return text.replaceAll(RANDOM_IDS, '*').replaceAll(/("(?:request_id|next_cursor)":)"[^"]*"/g, '$1"*"');
}
