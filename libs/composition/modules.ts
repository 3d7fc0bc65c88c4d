import { Global, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { Area, Resource } from '#commands/resource.js';
import { RESOURCES, SANDBOX_RESOURCES } from './resources.js';
import { ResourceServices } from '#commands/resource-services.js';

/** The dependencies of the commands of every area. The process provides the `Projector`. */
@Global()
@Module({ providers: [ResourceServices], exports: [ResourceServices] })
class CommandsModule {}

/** The controllers and providers of an area, as its resources declare them. */
function areaOf(area: Area, resources: readonly Resource[] = RESOURCES): ModuleMetadata {
  const own = resources.filter((resource) => resource.area === area);
  return {
    imports: [CqrsModule],
    controllers: own.flatMap(({ controllers = [] }) => controllers),
    providers: [...new Set(own.flatMap(({ handlers = [], providers = [] }) => [...handlers, ...providers]))],
  };
}

@Module(areaOf('organisation'))
class OrganisationModule {}

@Module(areaOf('people'))
class PeopleModule {}

@Module(areaOf('time-off'))
class TimeOffModule {}

@Module(areaOf('integration'))
class IntegrationModule {}

@Module(areaOf('integration', SANDBOX_RESOURCES))
class SandboxModule {}

/** The Nest modules that the API mounts: one for each area. */
export const RESOURCE_MODULES: readonly Type[] = [
  CommandsModule,
  PeopleModule,
  OrganisationModule,
  TimeOffModule,
  IntegrationModule,
];

/** The modules that the sandbox address mounts. */
export const SANDBOX_MODULES: readonly Type[] = [...RESOURCE_MODULES, SandboxModule];
