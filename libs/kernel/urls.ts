/**
 * The URL that a text is; null where it is none. Not by `URL.canParse`: once Node 20 has optimised it, it takes no letter of Latin-1
 * beyond ASCII any more.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
