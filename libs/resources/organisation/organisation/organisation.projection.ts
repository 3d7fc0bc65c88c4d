import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import { versionsOf } from '#projections/rule-versions.js';
import { type OrganisationState, organisationAggregate } from './organisation.decider.js';
import { FORGET_AUTHORISATIONS } from '#http/keys/authorisation-version.js';

/** The stream of an organisation: `organisation-{organisation}.profile`. */
export const ORGANISATION_ENTITY = 'profile';

const KEYS: RowKeys = {
  primaryKey: ['id'],
  others: [],
  values: (organisationId) => ({ id: organisationId }),
  streamKey: `id || '.${ORGANISATION_ENTITY}'`,
};

/** How the time zones that an organisation has had are read from its stream. */
const TIME_ZONES = {
  ...organisationAggregate,
  rules: (state: OrganisationState) => (state.status === 'none' ? null : { time_zone: state.profile.time_zone }),
};

/** Organisations as they are now. */
export const organisationProjection = oneRowProjection(organisationAggregate, {
  afterRebuild: FORGET_AUTHORISATIONS,
  table: 'organisations',
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
    'public_holidays_only',
  ],
  lists: ['time_zones'],
  row: (state, stream) => {
    return {
      ...state.profile,
      subdomain: state.subdomain,
      writes_approved: state.writesApproved,
      is_sandbox: state.isSandbox,
      time_zones: versionsOf(TIME_ZONES, stream),
      public_holidays_only: state.publicHolidaysOnly,
    };
  },
});
