/**
 * A table as CSV (RFC 4180), with a byte order mark for spreadsheets. A text that a spreadsheet would
 * interpret as a formula gets an apostrophe.
 */
export function csvOf(
  heads: readonly string[],
  rows: readonly (readonly (string | number | boolean | null | undefined)[])[],
): string {
  const cell = (value: string | number | boolean | null | undefined): string => {
    const text = value === null || value === undefined ? '' : String(value);
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `\uFEFF${[heads, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Makes the browser save a text as a file. */
export function saveFile(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
