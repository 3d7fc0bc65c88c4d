import { Module } from '@nestjs/common';
import { WebhookResourceServices } from '../webhook/webhook.services.js';
import { SandboxEventController } from './sandbox-event.controller.js';

@Module({ controllers: [SandboxEventController], providers: [WebhookResourceServices] })
export class SandboxModule {}
