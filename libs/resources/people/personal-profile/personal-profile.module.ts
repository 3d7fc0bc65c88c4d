import { Module } from '@nestjs/common';
import { PersonalProfileController } from './personal-profile.controller.js';

@Module({ controllers: [PersonalProfileController] })
export class PersonalProfileModule {}
