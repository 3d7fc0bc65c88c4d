import { ORGANISATIONS_SCHEMA, PUBLIC_HOLIDAYS_ONLY } from './organisation.schema.js';
import { defineResource } from '../../resource.js';
import { OrganisationController } from './organisation.controller.js';
import { organisationAggregate } from './organisation.decider.js';
import { ORGANISATION_COMMAND_HANDLERS } from './organisation.handlers.js';
import { organisationProjection } from './organisation.projection.js';

/** Organisations: the tenants. */
export const organisationResource = defineResource({
  area: 'organisation',
  aggregates: [organisationAggregate],
  projections: [organisationProjection],
  schema: ORGANISATIONS_SCHEMA,
  migrations: [PUBLIC_HOLIDAYS_ONLY],
  controllers: [OrganisationController],
  handlers: ORGANISATION_COMMAND_HANDLERS,
});
