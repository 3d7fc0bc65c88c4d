import { Module } from '@nestjs/common';
import { IntegrationReadinessController } from './integration-readiness.controller.js';

@Module({ controllers: [IntegrationReadinessController] })
export class IntegrationReadinessModule {}
