/** An answer's text without the ids of records, requests and pages, whose random characters could say anything. */
export function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '*').replaceAll(/("(?:request_id|next_cursor)":)"[^"]*"/g, '$1"*"');
}
