/** The alphabet of person ids (contract part 2): digits and lower-case letters without i, l, o and u. */
export const PERSON_ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
export const PERSON_ID_PATTERN = /^[0-9abcdefghjkmnpqrstvwxyz]{12}$/;

/** Every prefix of an opaque id: those of contract part 2, and ours beyond it. */
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
} as const;

/** The kinds of resource that have a prefixed id. */
export type IdKind = keyof typeof ID_PREFIXES;

/** Three base64url segments after the prefix: two of an identity, one that proves kind and organisation. */
export const PREFIXED_ID_SEGMENTS = '[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_-]{12}';

/**
 * Ids that nobody has: what a text that is no id of its kind is read as, so that it is answered in every way as an unknown one is
 * (contract part 7, rule 2). The last segment of an id that the service made proves its first two, which `A`s do not.
 */
export const UNASSIGNED_PERSON_ID = '000000000000';
export function unassignedId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA`;
}

/** The regular expression source that an id of this kind matches as a whole. */
export function idPatternSource(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}${PREFIXED_ID_SEGMENTS}$`;
}
