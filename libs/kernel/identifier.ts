/** The alphabet of person ids (contract part 2): digits and lower-case letters without i, l, o and u. */
export const PERSON_ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
export const PERSON_ID_PATTERN = /^[0-9abcdefghjkmnpqrstvwxyz]{12}$/;

/** Every prefix of an opaque id: those of contract part 2, and this service's own. */
export const ID_PREFIXES = {
  organisation: 'org_',
  country: 'cty_',
  location: 'loc_',
  orgUnit: 'org_unit_',
  workPlace: 'wp_',
  workType: 'wt_',
  workingPattern: 'working_pattern_',
  customField: 'cfd_',
  customFieldOption: 'cfo_',
  personStatus: 'ps_',
  timeOffStatus: 'tos_',
  employmentFact: 'ef_',
  timeOff: 'to_',
  timeOffCategory: 'toc_',
  balanceAdjustment: 'toa_',
  publicHoliday: 'ph_',
  documentType: 'dt_',
  document: 'doc_',
  providerMapping: 'pm_',
  webhook: 'wh_',
  webhookDelivery: 'whd_',
  event: 'evt_',
  apiKey: 'key_',
  writeProposal: 'wpr_',
  user: 'usr_',
  calendarLink: 'cal_',
  aiClient: 'aic_',
  import: 'imp_',
} as const;

/** The kinds of resources with a prefixed id. */
export type IdKind = keyof typeof ID_PREFIXES;

/**
 * Three base64url segments after the prefix: two of an identity, and one that authenticates kind and
 * organisation.
 */
export const PREFIXED_ID_SEGMENTS = '[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_-]{12}';

/**
 * Ids that no resource has. A text that is not an id of its kind is replaced with one, so that its response
 * is always that of an unknown id (contract part 7, rule 2). The last segment of a real id authenticates the
 * first two; a segment of `A`s does not.
 */
export const UNASSIGNED_PERSON_ID = '000000000000';
export function unassignedId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA`;
}

/** Returns the source of the regular expression that matches a whole id of this kind. */
export function idPatternSource(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}${PREFIXED_ID_SEGMENTS}$`;
}
