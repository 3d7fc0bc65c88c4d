import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { DATABASE_POOL, EVENT_STORE } from '#commands/injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Projector } from '#projections/projector.js';
import { timeZoneSet } from '#organisation/organisation/time-zone-policy.js';
import { defineResource } from '#commands/resource.js';
import { ERASURE_COMMAND_HANDLERS } from './erasure/erasure-commands.js';
import { PERSON_ERASURES_SCHEMA } from './erasure/erasures.table.js';
import {
  BELIEFS_WITHOUT_EXCLUSION_MIGRATION,
  EMAIL_KEYS_MIGRATION,
  FACT_APPROVERS_MIGRATION,
  FIRST_AND_FINAL_DAYS_MIGRATION,
  PEOPLE_SCHEMA,
  SEARCH_OF_PEOPLE_MIGRATION,
  SEARCH_BY_TRIGGER_MIGRATION,
  VISIBLE_PEOPLE_MIGRATION,
  SPELLING_MIGRATION,
} from './record/people.table.js';
import { EMAIL_RESERVATIONS_SCHEMA, PERSON_KEYS_SCHEMA } from './person/person-keys.table.js';
import { employmentEffectAggregate } from './employment/employment-effect.js';
import { employmentAggregate } from './employment/employment.js';
import { runEffectiveDateJobOfOrganisation } from './timeline/effective-date-job.js';
import { EMPLOYMENT_COMMAND_HANDLERS } from './timeline/change-employment.js';
import { RecordEffectiveDatesHandler } from './timeline/record-effective-dates.js';
import { EmploymentController } from './timeline/employment.api.js';
import { PEOPLE_COMMAND_HANDLERS } from './record/change-people.js';
import { PeopleController } from './record/people.api.js';
import { peopleProjection } from './record/people.js';
import { PeopleWriter } from './record/people-writer.js';
import { SAMPLE_PEOPLE_HANDLERS } from './record/sample-people.js';
import { personAggregate } from './person/person.js';

/** People: their identity and their employment. */
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
    VISIBLE_PEOPLE_MIGRATION,
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
