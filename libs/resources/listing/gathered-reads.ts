/** Reads what belongs to each of these keys of an organisation, in one statement; keys without anything are left out. */
export type ReadAll<Found> = (organisationId: string, keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>;

/** Keys that one statement reads at most, so that it stays short and other connections get their part. */
const MOST_KEYS = 50;

interface Gathering<Found> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Found>>;
}

/**
 * Gathers reads of one row each that arrive in the same turn of the event loop, and reads them in one statement: most of what a small
 * statement costs this process and PostgreSQL is the statement. A statement begins after the last read that it serves, so what it finds is as
 * fresh as if the read had a statement of its own. Where it fails, all its reads fail.
 */
export class GatheredReads<Found> {
  private readonly gatherings = new Map<string, Gathering<Found>>();

  constructor(private readonly readAll: ReadAll<Found>) {}

  /** What belongs to the key; null where nothing does. Throws what the statement throws. */
  async read(organisationId: string, key: string): Promise<Found | null> {
    let gathering = this.gatherings.get(organisationId);
    if (gathering === undefined || gathering.keys.size >= MOST_KEYS) {
      gathering = this.gather(organisationId);
      this.gatherings.set(organisationId, gathering);
    }
    gathering.keys.add(key);
    return (await gathering.found).get(key) ?? null;
  }

  private gather(organisationId: string): Gathering<Found> {
    const keys = new Set<string>();
    const found = new Promise<ReadonlyMap<string, Found>>((resolve, reject) => {
      setImmediate(() => {
        if (this.gatherings.get(organisationId)?.keys === keys) this.gatherings.delete(organisationId);
        this.readAll(organisationId, [...keys]).then(resolve, reject);
      });
    });
    return { keys, found };
  }
}
