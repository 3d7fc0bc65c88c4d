/** The issue of a row whose manager's row in the file was refused. */
export function issueOfRefusedManager(line: number): string {
  return `the manager's own row, on line ${line}, is refused`;
}

/** The lines on cycles, where each line points to the line of its manager. */
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
