/**
 * Parses a URL; returns null where the text is not one. It does not use `URL.canParse`: after optimisation, that function of Node
 * 20 rejects letters of Latin-1 beyond ASCII.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
