import type { Authoriser } from '#http/pipeline/authoriser.js';

/** What routes that are no operations need of the pipeline. */
export interface Access {
  /** Refuses a failed authentication, see `Authoriser.refuse`. */
  readonly refuse: Authoriser['refuse'];
  /** Makes this process look for keys and sessions again. The others do within a second. */
  readonly forget: () => void;
}
