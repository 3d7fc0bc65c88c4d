import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import { versionsOf } from '#projections/rule-versions.js';
import { evolveOrganisation, initialOrganisation, type OrganisationState } from './organisation.decider.js';
import { FORGET_AUTHORISATIONS } from './organisation.schema.js';

/** The stream of an organisation: `organisation-{organisation}.profile`. */
export const ORGANISATION_ENTITY = 'profile';

const KEYS: RowKeys = {
  primaryKey: ['id'],
  others: [],
  values: (organisationId) => ({ id: organisationId }),
  storedRevisions: (table) => `select s.id || '.${ORGANISATION_ENTITY}' as key, s.revision
    from unnest($1::text[]) as wanted(key) join ${table} s on s.id = left(wanted.key, 34)`,
  streamKey: `live.id || '.${ORGANISATION_ENTITY}'`,
};

/** How the time zones that an organisation has had are read from its stream. */
const TIME_ZONES = {
  initial: initialOrganisation,
  evolve: evolveOrganisation,
  rules: (state: OrganisationState) => (state.status === 'none' ? null : { time_zone: state.profile.time_zone }),
};

/** Organisations as they are now. */
export const organisationProjection = oneRowProjection({
  afterRebuild: FORGET_AUTHORISATIONS,
  table: 'organisations',
  category: 'organisation',
  initial: initialOrganisation,
  evolve: evolveOrganisation,
  keys: KEYS,
  isUniqueTwice: true,
  columns: [
    'name',
    'subdomain',
    'country_code',
    'plan',
    'time_zone',
    'logo_url',
    'primary_color_light',
    'primary_color_dark',
    'writes_approved',
    'is_sandbox',
    'time_zones',
  ],
  // COPY would take a list for an array of PostgreSQL, and this one is a list in JSON.
  complete: (row) => ({ ...row, time_zones: JSON.stringify(row['time_zones']) }),
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of an organisation`);
    return {
      ...state.profile,
      subdomain: state.subdomain,
      writes_approved: state.writesApproved,
      is_sandbox: state.isSandbox,
      time_zones: versionsOf(TIME_ZONES, stream),
    };
  },
});
