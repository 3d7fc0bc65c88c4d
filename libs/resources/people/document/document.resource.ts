import { DOCUMENTS_SCHEMA } from './document.schema.js';
import { defineResource } from '../../resource.js';
import { DocumentController } from './document.controller.js';
import { documentAggregate } from './document.decider.js';
import { DOCUMENT_COMMAND_HANDLERS } from './document.handlers.js';
import { documentProjection } from './document.projection.js';

/** The metadata of people's documents; the contents are stored elsewhere. */
export const documentResource = defineResource({
  area: 'people',
  aggregates: [documentAggregate],
  projections: [documentProjection],
  schema: DOCUMENTS_SCHEMA,
  controllers: [DocumentController],
  handlers: DOCUMENT_COMMAND_HANDLERS,
});
