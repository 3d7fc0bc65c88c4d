import { namedFields } from '#kernel/json.js';
import { TERM_NAMES, type Terms } from '../employment/timeline.js';
import type { TermsRequest } from './people-shapes.js';

/** The terms of a body. */
export function termsOf(body: TermsRequest): Terms {
  return namedFields(Object.fromEntries(TERM_NAMES.map((name) => [name, body[name]])));
}
