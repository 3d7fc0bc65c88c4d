import { defineResource } from '../../resource.js';
import { SetUpOrganisationHandler } from './set-up.handlers.js';

/** What a new organisation has before its people come. */
export const setUpResource = defineResource({ area: 'organisation', handlers: [SetUpOrganisationHandler] });
