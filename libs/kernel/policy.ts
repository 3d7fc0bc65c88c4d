/** The reaction of another context to an event of this one. */
type Reaction<Arguments extends readonly unknown[]> = (...given: Arguments) => Promise<unknown>;

/** A reaction that a resource declares; the registry of resources registers it. */
export type Policy = () => void;

/**
 * An occurrence in one context to which others react. The context does not import them: their resources
 * declare policies.
 */
export class PolicyPoint<Arguments extends readonly unknown[]> {
  private readonly reactions: Reaction<Arguments>[] = [];

  /** @param occurrence - for error messages, such as `a person is erased` */
  constructor(private readonly occurrence: string) {}

  /** Declares a reaction. */
  policy(reaction: Reaction<Arguments>): Policy {
    return () => void this.reactions.push(reaction);
  }

  /**
   * Runs every reaction, one after the other. Throws if there is none: the registry of resources was not
   * loaded.
   */
  async apply(...given: Arguments): Promise<void> {
    if (this.reactions.length === 0) throw new Error(`no policy is registered for the case that ${this.occurrence}`);
    for (const reaction of this.reactions) await reaction(...given);
  }
}
