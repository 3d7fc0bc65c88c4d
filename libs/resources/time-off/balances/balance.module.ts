import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../../services/resource-services.js';
import { AdjustBalanceHandler, BalanceController } from './balance.controller.js';

@Module({ imports: [CqrsModule], controllers: [BalanceController], providers: [ResourceServices, AdjustBalanceHandler] })
export class BalanceModule {}
