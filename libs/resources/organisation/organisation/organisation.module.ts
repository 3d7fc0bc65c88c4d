import { Module } from '@nestjs/common';
import { LocationController } from '../location/location.controller.js';
import { OrganisationController } from './organisation.controller.js';

@Module({ controllers: [OrganisationController, LocationController] })
export class OrganisationModule {}
