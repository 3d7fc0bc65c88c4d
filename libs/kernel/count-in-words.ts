/**
 * A number of things in words: `1 event`, `2 events`, `0 entries`.
 *
 * @param plural - required if it is not the singular with an s
 */
export function countInWords(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** The same with the verb: `1 event is`, `2 events are`. */
export function countInWordsWithVerb(count: number, singular: string, plural?: string): string {
  return `${countInWords(count, singular, plural)} ${count === 1 ? 'is' : 'are'}`;
}
