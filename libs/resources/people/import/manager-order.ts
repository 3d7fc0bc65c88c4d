/** What is wrong with a row whose manager would have come with the file. */
export function issueOfRefusedManager(line: number): string {
  return `the manager's own row, on line ${line}, is refused`;
}

/** Lines that lead back to themselves, where each leads to the line of its manager. */
export function linesOnCycles(managerOf: ReadonlyMap<number, number>): ReadonlySet<number> {
  const visitedFrom = new Map<number, number>();
  const onCycles = new Set<number>();
  for (const start of managerOf.keys()) {
    let at: number | undefined = start;
    while (at !== undefined && !visitedFrom.has(at)) {
      visitedFrom.set(at, start);
      at = managerOf.get(at);
    }
    if (at === undefined || visitedFrom.get(at) !== start || !managerOf.has(at)) continue;
    for (let line = at; !onCycles.has(line); line = managerOf.get(line)!) onCycles.add(line);
  }
  return onCycles;
}
