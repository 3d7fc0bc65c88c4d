import { documentTypeTable } from '../../organisation/dictionary/dictionary.table.js';
import type { CommandContext } from '#commands/command-context.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import { holdForRetirement, holdReferences } from '#commands/locks/references.js';
import { commit, type UnitContext, type Written } from '#commands/unit-of-work.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { normaliseName } from '../../naming/name-key.js';
import { requirePersonKey } from '../person/person-keys.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import { nameOpener, openDocumentEvent, sealDocumentEvent } from './document-seal.js';
import {
  decideDocument,
  documentAggregate,
  type DocumentCommand,
  type DocumentMetadata,
  type DocumentState,
  evolveDocument,
  initialDocument,
} from './document.decider.js';
import { type DocumentRow, findDocument, findDocumentType } from './document.queries.js';
import { personAggregate } from '../person/person.decider.js';

/** Records the metadata of a person's document; a repeat with the same context finds the same document. Throws {@link RejectedError}. */
export function recordDocument(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  wanted: DocumentMetadata,
): Promise<DocumentRow> {
  const { organisationId } = context;
  const metadata = normaliseMetadata(wanted) as DocumentMetadata;
  const id = services.mint.prefixed('document', organisationId, ...context.seed);
  const streams = [
    personAggregate.streamOf(organisationId, personId),
    documentTypeTable.aggregate.streamOf(organisationId, metadata.document_type_id),
  ];
  return commit(services, context, async (within) => {
    await holdReferences(services, within, streams);
    const key = await requirePersonKey(services.executor, organisationId, personId);
    await requireActiveType(services, organisationId, metadata.document_type_id);
    await stage(services, within, id, key, { type: 'record', personId, metadata });
    return (written) => reread(written, organisationId, id);
  });
}

/** Changes the metadata of a document, but never its person. Throws {@link RejectedError}. */
export function changeDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
  wanted: Partial<DocumentMetadata>,
): Promise<DocumentRow> {
  const { organisationId } = context;
  const changes = normaliseMetadata(wanted);
  const type = changes.document_type_id;
  return commit(services, context, async (within) => {
    if (type !== undefined) await holdReferences(services, within, [documentTypeTable.aggregate.streamOf(organisationId, type)]);
    const row = await existing(services, organisationId, documentId);
    const key = await requirePersonKey(services.executor, organisationId, row.person_id);
    if (type !== undefined && type !== row.document_type_id) await requireActiveType(services, organisationId, type);
    await stage(services, within, documentId, key, { type: 'change', changes });
    return (written) => reread(written, organisationId, documentId);
  });
}

/** Removes a document: no response shows it any more; its history stays. Returns it as it was. Throws {@link RejectedError}. */
export function removeDocument(services: CommandServices, context: CommandContext, documentId: string): Promise<DocumentRow> {
  return commit(services, context, async (within) => {
    const row = await existing(services, context.organisationId, documentId);
    await holdForRetirement(services, within, { stream: documentAggregate.streamOf(context.organisationId, documentId) });
    await stage(services, within, documentId, null, { type: 'remove' });
    return () => row;
  });
}

/** @param key - the key of the document's person; may be null for a command that contains no name */
async function stage(
  services: CommandServices,
  context: UnitContext,
  documentId: string,
  key: Buffer | null,
  command: DocumentCommand,
): Promise<void> {
  const open = nameOpener(key);
  await handleCommand<DocumentState, DomainEvent>(services.store, key === null ? context : withSealedFingerprint(context, key), {
    stream: documentAggregate.streamOf(context.organisationId, documentId),
    initial: initialDocument,
    evolve: (state, event) => evolveDocument(state, openDocumentEvent(event, open)),
    decide: (state) => {
      const decision = decideDocument(command, state);
      return 'rejection' in decision
        ? decision
        : { events: decision.events.map((event) => (key === null ? event : sealDocumentEvent(event, key))) };
    },
    onConflict: 'decide_again',
    part: command.type,
  });
}

/** Refuses a type that does not exist, belongs to another organisation, or is not in use. */
async function requireActiveType(services: CommandServices, organisationId: string, documentTypeId: string): Promise<void> {
  const type = await findDocumentType(services.executor, organisationId, documentTypeId);
  if (type === null) throw new RejectedError(notFound('document_type_id', 'there is no such document type'));
  if (!type.is_active) throw new RejectedError(conflict('document_type_id', 'this document type is not active'));
}

async function existing(services: CommandServices, organisationId: string, documentId: string): Promise<DocumentRow> {
  const row = await findDocument(services.executor, organisationId, documentId);
  if (row === null) throw new RejectedError(notFound('document_id', 'there is no such document'));
  return row;
}

async function reread({ executor }: Written, organisationId: string, documentId: string): Promise<DocumentRow> {
  const row = await findDocument(executor, organisationId, documentId);
  if (row === null) throw new Error(`document ${documentId} was recorded and its row is missing`);
  return row;
}

/** Trims names and writes the media type in lower case. */
function normaliseMetadata(fields: Partial<DocumentMetadata>): Partial<DocumentMetadata> {
  const { name, content_type: contentType } = fields;
  return {
    ...fields,
    ...(name === undefined ? {} : { name: normaliseName(name) }),
    ...(contentType === undefined ? {} : { content_type: contentType.trim().toLowerCase() }),
  };
}
