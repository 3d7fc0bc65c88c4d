import { DOCUMENTS_SCHEMA } from './document.schema.js';
import { defineResource } from '../../resource.js';
import { DocumentController } from './document.controller.js';
import { documentAggregate } from './document.decider.js';
import { documentProjection } from './document.projection.js';

/** What is known of people's documents; their contents are kept elsewhere. */
export const documentResource = defineResource({
  area: 'people',
  aggregates: [documentAggregate],
  projections: [documentProjection],
  schema: DOCUMENTS_SCHEMA,
  controllers: [DocumentController],
});
