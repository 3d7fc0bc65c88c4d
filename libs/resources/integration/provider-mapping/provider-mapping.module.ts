import { Module } from '@nestjs/common';
import { ProviderMappingController } from './provider-mapping.controller.js';

@Module({ controllers: [ProviderMappingController] })
export class ProviderMappingModule {}
