/**
 * What the specs of one Jest file share, for example of a group of `npm test`: the first that needs it starts
 * it, and it stops after the last.
 */
export class SharedBySpecs<Shared> {
  private specs = 0;
  private started: Promise<Shared> | null = null;

  constructor(
    private readonly start: () => Promise<Shared>,
    private readonly stop: (shared: Shared) => Promise<unknown>,
  ) {}

  /** Call it outside of tests and hooks. Has the spec `use` what is shared before its tests. */
  forSpec(use: (shared: Shared) => unknown): void {
    this.specs += 1;
    beforeAll(async () => void use(await (this.started ??= this.start())));
    afterAll(async () => {
      this.specs -= 1;
      if (this.specs > 0 || this.started === null) return;
      const shared = await this.started;
      this.started = null;
      await this.stop(shared);
    });
  }
}
