const [BEGIN, END] = ['<!-- result -->\n', '<!-- /result -->'];

/** The page of benchmarks with the result of another run. Throws where it has no place for one. */
export function withResult(page: string, result: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error('the page has no place for the result');
  return `${page.slice(0, start)}${BEGIN}\n${result}\n${page.slice(end)}`;
}
