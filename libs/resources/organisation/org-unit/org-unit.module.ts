import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../../services/resource-services.js';
import { OrgUnitController } from './org-unit.controller.js';
import { ORG_UNIT_COMMAND_HANDLERS } from './org-unit.handlers.js';

@Module({ imports: [CqrsModule], controllers: [OrgUnitController], providers: [ResourceServices, ...ORG_UNIT_COMMAND_HANDLERS] })
export class OrgUnitModule {}
