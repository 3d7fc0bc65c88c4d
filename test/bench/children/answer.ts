interface Request {
  readonly id: number;
  readonly request: string;
  readonly values: object;
}

/** What a process can be asked; `end` is called when whoever asked has gone. */
export interface Answers {
  readonly [request: string]: (values: never) => unknown;
}

/** Makes this process answer its parent until that releases it. */
export function answerParent(answers: Answers, end: () => Promise<void> = () => Promise.resolve()): void {
  process.on('message', ({ id, request, values }: Request) => {
    void answer(answers[request], values).then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => void end().finally(() => process.exit()));
}

async function answer(work: ((values: never) => unknown) | undefined, values: object): Promise<unknown> {
  if (work === undefined) throw new Error('this process cannot be asked for that');
  return work(values as never);
}

/** Processor time of this process so far, in seconds. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}
