import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeDocument, recordDocument, removeDocument } from './document.commands.js';
import type { DocumentMetadata } from './document.decider.js';
import type { DocumentRow } from './document.queries.js';

export class RecordDocument extends Command<DocumentRow> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly metadata: DocumentMetadata,
  ) {
    super();
  }
}

export class ChangeDocument extends Command<DocumentRow> {
  constructor(
    readonly context: CommandContext,
    readonly documentId: string,
    readonly changes: Partial<DocumentMetadata>,
  ) {
    super();
  }
}

export class RemoveDocument extends Command<DocumentRow> {
  constructor(
    readonly context: CommandContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(RecordDocument)
class RecordDocumentHandler implements ICommandHandler<RecordDocument> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, metadata }: RecordDocument): Promise<DocumentRow> {
    return recordDocument(this.services, context, personId, metadata);
  }
}

@CommandHandler(ChangeDocument)
class ChangeDocumentHandler implements ICommandHandler<ChangeDocument> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, documentId, changes }: ChangeDocument): Promise<DocumentRow> {
    return changeDocument(this.services, context, documentId, changes);
  }
}

@CommandHandler(RemoveDocument)
class RemoveDocumentHandler implements ICommandHandler<RemoveDocument> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, documentId }: RemoveDocument): Promise<DocumentRow> {
    return removeDocument(this.services, context, documentId);
  }
}

/** The handlers of this file, for the resource. */
export const DOCUMENT_COMMAND_HANDLERS = [RecordDocumentHandler, ChangeDocumentHandler, RemoveDocumentHandler];
