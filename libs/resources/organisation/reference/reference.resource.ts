import { defineResource } from '../../resource.js';
import { ReferenceController } from './reference.controller.js';

/** Lists of what fields may hold: countries, statuses and the entries of dictionaries. */
export const referenceResource = defineResource({ area: 'organisation', controllers: [ReferenceController] });
