interface Request {
  readonly id: number;
  readonly request: string;
  readonly values: object;
}

/** Makes this process answer its parent, by the names of these functions, until the parent releases it. */
export function answerParent(answers: Readonly<Record<string, (values: never) => unknown>>): void {
  process.on('message', ({ id, request, values }: Request) => {
    void Promise.resolve()
      .then(() => answers[request]!(values as never))
      .then(
        (result) => process.send?.({ id, result }),
        (error: unknown) =>
          process.send?.({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  process.once('disconnect', () => process.exit());
}
