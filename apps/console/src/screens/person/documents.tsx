import { ActionIcon, Button, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { request, useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { useDraft } from '../../data/use-draft.js';
import {
  readTagged,
  type Tagged,
  type TaggedHeaders,
  useBased,
  useFormBase,
  useTaggedWrite,
} from '../../data/use-tagged-write.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import type { Difference } from '../../ui/lost-race.js';
import { ShowMore } from '../../ui/show-more.js';
import { Reading } from '../../ui/states.js';
import { CardForm, Section, useEndOfEdit } from './card.js';
import { DayField } from './form.js';

type Document = Schemas['DocumentResponse'];

/** The metadata of a person's documents, whose files are kept elsewhere. */
export function Documents({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('person');
  const may = useMay('documents:read');
  const mayWrite = useMay('documents:read', 'people:write');
  const [opened, setOpened] = useState<Document | 'new' | null>(null);
  const [removed, setRemoved] = useState<Document | null>(null);
  const documents = usePages(
    ['people', personId, 'documents'],
    (after) => answerOf(client.GET('/documents', { params: { query: { person_id: personId, limit: 100, ...after } } })),
    { enabled: may },
  );
  if (!may) return null;
  const close = (): void => setOpened(null);
  return (
    <Section title={t('documents.title')}>
      <Reading of={t('documents.reading')} query={documents} />
      {documents.isSuccess && documents.items.length === 0 && opened === null && <Text c="dimmed">{t('none')}</Text>}
      {opened !== null && (
        <EditDocument personId={personId} document={opened === 'new' ? null : opened} onClose={close} />
      )}
      {opened === null && (
        <Stack gap="xs" align="flex-start">
          {documents.items.length > 0 && (
            <Table verticalSpacing={4} aria-label={t('documents.title')}>
              <Table.Tbody>
                {documents.items.map((document) => (
                  <Table.Tr key={document.id}>
                    <Table.Th scope="row" fw={400} title={document.id}>
                      {document.name}
                    </Table.Th>
                    <Table.Td>
                      {document.expires_on === null
                        ? document.document_type.label
                        : t('documents.expires', {
                            type: document.document_type.label,
                            day: shortDayText(document.expires_on),
                          })}
                    </Table.Td>
                    {mayWrite && (
                      <Table.Td w={76}>
                        <Group gap={4} wrap="nowrap" justify="flex-end">
                          <ActionIcon
                            variant="subtle"
                            aria-label={t('documents.edit', { name: document.name })}
                            onClick={() => setOpened(document)}
                          >
                            <IconPencil size={16} aria-hidden />
                          </ActionIcon>
                          <ActionIcon
                            variant="subtle"
                            aria-label={t('documents.remove', { name: document.name })}
                            onClick={() => setRemoved(document)}
                          >
                            <IconTrash size={16} aria-hidden />
                          </ActionIcon>
                        </Group>
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          <ShowMore of={documents} size="compact-sm" />
          {mayWrite && (
            <Button size="compact-sm" variant="default" onClick={() => setOpened('new')}>
              {t('documents.add')}
            </Button>
          )}
        </Stack>
      )}
      {removed !== null && <Remove document={removed} onClose={() => setRemoved(null)} />}
    </Section>
  );
}

interface Metadata {
  readonly name: string;
  readonly document_type_id: string;
  readonly content_type: string;
  readonly byte_size: number;
  readonly issued_on: string | null;
  readonly expires_on: string | null;
}

const NO_DOCUMENT: Metadata = {
  name: '',
  document_type_id: '',
  content_type: '',
  byte_size: 0,
  issued_on: null,
  expires_on: null,
};

interface EditDocumentProperties {
  readonly personId: string;
  /** Null for a new one. */
  readonly document: Document | null;
  readonly onClose: () => void;
}

const NEW: Tagged<Metadata> = { data: NO_DOCUMENT, entityTag: null };

/** The form of a document, filled from what the service holds when it opens. */
function EditDocument({ personId, document, onClose }: EditDocumentProperties) {
  const { t } = useTranslation('person');
  const path = document === null ? null : `/console/documents/${document.id}`;
  const read = async (): Promise<Tagged<Metadata>> => {
    if (path === null) return NEW;
    const { data, entityTag } = await readTagged<Document>(path);
    return { data: metadataOf(data), entityTag };
  };
  const base = useFormBase(['documents', document?.id ?? 'new'], read);
  if (base.data === undefined) return <Reading of={t('documents.reading')} query={base} />;
  return (
    <DocumentForm
      form={document?.id ?? `new.${personId}`}
      title={document === null ? t('documents.new') : t('documents.edit', { name: document.name })}
      answer={base.data}
      read={read}
      write={(body, headers) =>
        path === null
          ? request('POST', `/console/people/${personId}/documents`, body, {
              'Idempotency-Key': headers['Idempotency-Key'],
            })
          : request('PATCH', path, body, { ...headers })
      }
      onClose={onClose}
    />
  );
}

/** What the user has typed, or chosen by a file. */
interface DocumentDraft {
  readonly typed: Partial<Metadata>;
}

interface DocumentFormProperties {
  /** Names the form for its draft. */
  readonly form: string;
  readonly title: string;
  readonly answer: Tagged<Metadata>;
  readonly read: () => Promise<Tagged<Metadata>>;
  readonly write: (body: object, headers: TaggedHeaders) => Promise<unknown>;
  readonly onClose: () => void;
}

/** A chosen file gives name, type and size, and does not leave the browser. */
function DocumentForm({ form, title, answer, read, write: send, onClose }: DocumentFormProperties) {
  const { t } = useTranslation('person');
  const based = useBased(answer, read);
  const was = based.answer.data;
  const draft = useDraft<DocumentDraft>(`document.${form}`, { typed: {} });
  const typed = { ...was, ...draft.content.typed };
  const types = useQuery({
    queryKey: ['document-types'],
    queryFn: () => answerOf(client.GET('/reference/document-types')),
  });
  const typeName = (id: string): string => types.data?.data.find((type) => type.id === id)?.label ?? id;
  const changed = Object.entries(typed).filter(([name, value]) => value !== was[name as keyof Metadata]);
  const write = useTaggedWrite(based, send, useEndOfEdit(draft, onClose));
  const change = (change: Partial<Metadata>): void => draft.change({ typed: { ...draft.content.typed, ...change } });
  const issue = (field: string): string | undefined => issueOf(write.error, field);
  const isComplete = typed.name.trim() !== '' && typed.document_type_id !== '' && typed.content_type !== '';
  return (
    <CardForm
      title={title}
      explanation={t('documents.explanation')}
      isReady={isComplete && changed.length > 0}
      isPending={write.isPending}
      error={write.error}
      draft={draft}
      lost={based.overtaken === null ? null : differencesOf(t, based.overtaken, was, typeName)}
      onSubmit={() => write.send(answer.entityTag === null ? typed : Object.fromEntries(changed))}
      onCancel={onClose}
    >
      <TextInput
        type="file"
        label={t('documents.file')}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined)
            change({
              name: typed.name === '' ? file.name : typed.name,
              content_type: file.type === '' ? 'application/octet-stream' : file.type,
              byte_size: file.size,
            });
        }}
      />
      <TextInput
        label={t('documents.name')}
        required
        maxLength={200}
        value={typed.name}
        error={issue('name')}
        onChange={({ target }) => change({ name: target.value })}
      />
      <NativeSelect
        label={t('documents.type')}
        required
        data={[
          { value: '', label: t('documents.choose') },
          ...(types.data?.data ?? []).map(({ id, label }) => ({ value: id, label })),
        ]}
        value={typed.document_type_id}
        error={issue('document_type_id')}
        onChange={({ target }) => change({ document_type_id: target.value })}
      />
      <TextInput
        label={t('documents.contentType')}
        required
        placeholder="application/pdf"
        value={typed.content_type}
        error={issue('content_type')}
        onChange={({ target }) => change({ content_type: target.value })}
      />
      <Group grow>
        <DayField
          label={t('documents.issued')}
          isOptional
          value={typed.issued_on ?? ''}
          error={issue('issued_on')}
          onChange={(day) => change({ issued_on: day === '' ? null : day })}
        />
        <DayField
          label={t('documents.expiresOn')}
          isOptional
          value={typed.expires_on ?? ''}
          error={issue('expires_on')}
          onChange={(day) => change({ expires_on: day === '' ? null : day })}
        />
      </Group>
    </CardForm>
  );
}

/** What another user has changed. A chosen file sets the size, which the form does not show by itself. */
function differencesOf(
  t: TFunction<'person'>,
  before: Metadata,
  after: Metadata,
  typeName: (id: string) => string,
): readonly Difference[] {
  const rowsOf = ({ name, document_type_id: type, content_type, issued_on, expires_on }: Metadata) =>
    [
      [t('documents.name'), name],
      [t('documents.type'), typeName(type)],
      [t('documents.contentType'), content_type],
      [t('documents.issued'), issued_on === null ? '–' : shortDayText(issued_on)],
      [t('documents.expiresOn'), expires_on === null ? '–' : shortDayText(expires_on)],
    ] as const;
  const later = rowsOf(after);
  return rowsOf(before)
    .map(([what, value], index) => ({ what, before: value, after: later[index]![1] }))
    .filter((row) => row.before !== row.after);
}

function metadataOf(document: Document): Metadata {
  const { name, document_type: type, content_type, byte_size, issued_on, expires_on } = document;
  return { name, document_type_id: type.id, content_type, byte_size, issued_on, expires_on };
}

function Remove({ document, onClose }: { readonly document: Document; readonly onClose: () => void }) {
  const { t } = useTranslation('person');
  const write = useWrite((id: string, headers) => request('POST', `/console/documents/${id}/remove`, {}, headers), {
    onSuccess: () => {
      notifications.show({ message: t('documents.removed'), color: 'teal' });
      onClose();
    },
  });
  return (
    <Confirmation
      title={t('documents.removeTitle')}
      action={t('documents.removeAction')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(document.id) }}
      onClose={onClose}
    >
      {t('documents.removeHint', { name: document.name })}
    </Confirmation>
  );
}
