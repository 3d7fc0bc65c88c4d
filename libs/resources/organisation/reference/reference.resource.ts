import { defineResource } from '../../resource.js';
import { ReferenceController } from './reference.controller.js';

/** Lists of possible values of fields: countries, statuses and the entries of dictionaries. */
export const referenceResource = defineResource({ area: 'organisation', controllers: [ReferenceController] });
