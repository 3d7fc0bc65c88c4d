import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { DATABASE_POOL, EVENT_STORE } from '#http/injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Projector } from '#projections/projector.js';
import { timeZoneSet } from '../organisation/organisation/time-zone-policy.js';
import { defineResource } from '../resource.js';
import { ERASURE_COMMAND_HANDLERS } from './erasure/erasure.handlers.js';
import { PERSON_ERASURES_SCHEMA } from './erasure/erasures.schema.js';
import {
  BELIEFS_WITHOUT_EXCLUSION_MIGRATION,
  EMAIL_KEYS_MIGRATION,
  FACT_APPROVERS_MIGRATION,
  FIRST_AND_FINAL_DAYS_MIGRATION,
  PEOPLE_SCHEMA,
  SEARCH_OF_PEOPLE_MIGRATION,
  SEARCH_BY_TRIGGER_MIGRATION,
  SHOWN_PEOPLE_MIGRATION,
  SPELLING_MIGRATION,
} from './people/people.schema.js';
import { EMAIL_RESERVATIONS_SCHEMA, PERSON_KEYS_SCHEMA } from './person/person-keys.schema.js';
import { employmentEffectAggregate } from './employment/employment-effect.decider.js';
import { employmentAggregate } from './employment/employment.decider.js';
import { runEffectiveDateJobOfOrganisation } from './employment-api/effective-date-job.js';
import { EMPLOYMENT_COMMAND_HANDLERS } from './employment-api/employment.commands.js';
import { RecordEffectiveDatesHandler } from './employment-api/effective-date.handlers.js';
import { EmploymentController } from './employment-api/employment.controller.js';
import { PEOPLE_COMMAND_HANDLERS } from './people/people.commands.js';
import { PeopleController } from './people/people.controller.js';
import { peopleProjection } from './people/people.projection.js';
import { PeopleWriter } from './people/people-writer.js';
import { SAMPLE_PEOPLE_HANDLERS } from './people/sample-people.handlers.js';
import { personAggregate } from './person/person.decider.js';

/** People: who they are, and their employment. */
export const peopleResource = defineResource({
  area: 'people',
  aggregates: [personAggregate, employmentAggregate, employmentEffectAggregate],
  projections: [peopleProjection],
  schema: [PEOPLE_SCHEMA, PERSON_KEYS_SCHEMA, EMAIL_RESERVATIONS_SCHEMA, PERSON_ERASURES_SCHEMA].join(''),
  migrations: [
    FACT_APPROVERS_MIGRATION,
    BELIEFS_WITHOUT_EXCLUSION_MIGRATION,
    SEARCH_OF_PEOPLE_MIGRATION,
    SPELLING_MIGRATION,
    SEARCH_BY_TRIGGER_MIGRATION,
    FIRST_AND_FINAL_DAYS_MIGRATION,
    EMAIL_KEYS_MIGRATION,
    SHOWN_PEOPLE_MIGRATION,
  ],
  policies: [
    timeZoneSet.policy(({ executor: pool, store: eventStore, projector }, clock, organisationId) =>
      runEffectiveDateJobOfOrganisation({ pool, eventStore, projector, clock }, organisationId),
    ),
  ],
  controllers: [PeopleController, EmploymentController],
  handlers: [
    {
      provide: PeopleWriter,
      inject: [DATABASE_POOL, EVENT_STORE, Projector, IdMint],
      useFactory: (pool: Pool, eventStore: EventStore, projector: Projector, mint: IdMint) =>
        new PeopleWriter({ pool, eventStore, projector, mint }),
    },
    ...PEOPLE_COMMAND_HANDLERS,
    ...EMPLOYMENT_COMMAND_HANDLERS,
    RecordEffectiveDatesHandler,
    ...ERASURE_COMMAND_HANDLERS,
    ...SAMPLE_PEOPLE_HANDLERS,
  ],
});
