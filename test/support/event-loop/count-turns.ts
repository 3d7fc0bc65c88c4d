/** Runs the work, and counts the turns of the event loop that others have had until its end. */
export async function countTurns<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  let isEnded = false;
  const count = (): void => {
    if (isEnded) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isEnded = true;
  }
}
