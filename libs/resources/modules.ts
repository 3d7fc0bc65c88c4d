import { Global, Module } from '@nestjs/common';
import { CLOCK } from '#http/injection-tokens.js';
import type { Clock } from '#kernel/clock.js';
import { Projector } from '#projections/projector.js';
import { OrgUnitModule } from './org-unit/org-unit.module.js';
import { OrganisationModule } from './organisation/organisation.module.js';
import { PeopleModule } from './people/people.module.js';
import { ReferenceModule } from './reference/reference.module.js';
import { PROJECTIONS } from './registry.js';
import { WorkingPatternModule } from './working-pattern/working-pattern.module.js';

/** Lets every resource project its own streams at once. */
@Global()
@Module({
  providers: [{ provide: Projector, inject: [CLOCK], useFactory: (clock: Clock) => new Projector(PROJECTIONS, clock) }],
  exports: [Projector],
})
class ProjectionModule {}

/** The Nest modules that the API mounts. One line a resource that has routes. */
export const RESOURCE_MODULES = [ProjectionModule, PeopleModule, OrganisationModule, ReferenceModule, OrgUnitModule, WorkingPatternModule];
