import { LRUCache } from 'lru-cache';
import { type WrittenJson } from '#kernel/json.js';

/** What a person's JSON depends on besides the row's version: `version` is that of the names of other resources. */
export interface ShownNames {
  readonly version: number;
  /** Null where the person has no manager. */
  readonly manager: string | null;
}

interface Kept extends ShownNames {
  readonly rowVersion: string;
  readonly json: WrittenJson;
}

/** Characters of JSON kept, for all organisations together: some 40,000 people, each at most twice this number of bytes. */
const MOST_CHARACTERS = 32_000_000;

/**
 * The JSON of people whom lists have shown. An entry counts only for the version of the row and for the names that a statement has just
 * read, so a list that uses it shows what the database holds at that moment, whichever process wrote it.
 *
 * The version of a row is the transaction that wrote it (`xmin`) with the revisions of both its streams: every change of a row, also by a
 * rebuild, is by another transaction.
 */
export class WrittenPeople {
  private readonly kept = new LRUCache<string, Kept>({ maxSize: MOST_CHARACTERS, sizeCalculation: ({ json }) => json.text.length });

  /** The JSON of a person at this version, or null where it is not kept. */
  find(organisationId: string, personId: string, rowVersion: string, names: ShownNames): WrittenJson | null {
    const kept = this.kept.get(organisationId + personId);
    const isCurrent = kept?.rowVersion === rowVersion && kept.version === names.version && kept.manager === names.manager;
    return isCurrent ? kept.json : null;
  }

  keep(organisationId: string, personId: string, rowVersion: string, names: ShownNames, json: WrittenJson): void {
    this.kept.set(organisationId + personId, { rowVersion, version: names.version, manager: names.manager, json });
  }
}
