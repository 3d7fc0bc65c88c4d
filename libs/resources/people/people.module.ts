import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { DATABASE_POOL, EVENT_STORE } from '#http/injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Projector } from '#projections/projector.js';
import { ResourceServices } from '../services/resource-services.js';
import { EMPLOYMENT_COMMAND_HANDLERS } from './employment-api/employment.commands.js';
import { EmploymentController } from './employment-api/employment.controller.js';
import { PEOPLE_COMMAND_HANDLERS } from './people/people.commands.js';
import { PeopleController } from './people/people.controller.js';
import { PeopleReader } from './people/people.json.js';
import { PeopleWriter } from './people/people-writer.js';

@Module({
  imports: [CqrsModule],
  controllers: [PeopleController, EmploymentController],
  providers: [
    ResourceServices,
    { provide: PeopleReader, inject: [DATABASE_POOL], useFactory: (pool: Pool) => new PeopleReader(pool) },
    {
      provide: PeopleWriter,
      inject: [DATABASE_POOL, EVENT_STORE, Projector, IdMint],
      useFactory: (pool: Pool, eventStore: EventStore, projector: Projector, mint: IdMint) =>
        new PeopleWriter({ pool, eventStore, projector, mint }),
    },
    ...PEOPLE_COMMAND_HANDLERS,
    ...EMPLOYMENT_COMMAND_HANDLERS,
  ],
})
export class PeopleModule {}
