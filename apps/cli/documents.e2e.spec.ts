import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OF_ACME, programOfAcme, words } from '../../test/support/program.js';
import { temporaryDirectory } from '../../test/support/test-server.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const { workforce, json } = programOfAcme();

const OF_TYPES = ['--dictionary', 'document-types', ...OF_ACME];

let directory: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
  await json(
    'import',
    'people',
    await file('people.csv', 'work_email,staff_id,first_name,start_date\nada@example.com,A-1,Ada,2026-01-01\n'),
    ...OF_ACME,
  );
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(directory, name), content);
  return join(directory, name);
}

async function refused(...parameters: readonly string[]): Promise<string> {
  const { code, stderr } = await workforce(...parameters);
  expect(code).toBe(exitCodeOfSentence(stderr));
  return stderr;
}

function create(...more: readonly string[]): readonly string[] {
  return [
    ...words(
      'documents create --organisation acme --person ADA@example.com --name Contract.pdf --content-type application/pdf --byte-size 1024',
    ),
    ...more,
  ];
}

describe('workforce documents', () => {
  it('keeps document types, and documents of them', async () => {
    const type = await json<{ id: string }>('reference', 'create', ...OF_TYPES, '--label', 'Contract');
    expect(type).toMatchObject({ id: expect.stringMatching(/^dt_/) as string, label: 'Contract', is_active: true });
    const created = await json<{ id: string }>(
      ...create('--document-type', 'contract', '--issued-on', '2026-01-01', '--expires-on', '2026-12-31'),
    );
    expect(created).toEqual({
      id: expect.stringMatching(/^doc_/) as string,
      person: { id: expect.stringMatching(/^[0-9a-z]{12}$/) as string, display_name: 'Ada' },
      name: 'Contract.pdf',
      document_type: { id: type.id, label: 'Contract' },
      content_type: 'application/pdf',
      byte_size: 1_024,
      issued_on: '2026-01-01',
      expires_on: '2026-12-31',
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
    });
    await json('reference', 'update', type.id, ...OF_TYPES, '--label', 'Agreement');
    const updated = await json(
      'documents',
      'update',
      created.id,
      ...OF_ACME,
      '--document-type',
      type.id,
      '--expires-on',
      '',
      '--name',
      'Agreement.pdf',
    );
    expect(updated).toMatchObject({
      id: created.id,
      name: 'Agreement.pdf',
      document_type: { label: 'Agreement' },
      issued_on: '2026-01-01',
      expires_on: null,
    });
    expect(await json('documents', 'list', ...OF_ACME, '--person', 'A-1')).toEqual({
      documents: [expect.objectContaining({ id: created.id })],
    });
    expect((await workforce('documents', 'remove', created.id, ...OF_ACME)).stdout).toBe(
      `Removed Agreement.pdf of Ada (${created.id}).\n`,
    );
    expect(await json('documents', 'list', ...OF_ACME)).toEqual({ documents: [] });
    await json('reference', 'update', type.id, ...OF_TYPES, '--deactivate');
    expect(await refused(...create('--document-type', 'Agreement'))).toBe('This document type is not active.\n');
  });

  it('refuses what is not valid with one sentence', async () => {
    await json('reference', 'create', ...OF_TYPES, '--label', 'Note');
    const ofNote = ['--document-type', 'Note'];
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [
        create('--document-type', 'Nothing'),
        'There is no document type Nothing: workforce reference list --dictionary document-types shows all.',
      ],
      [create(...ofNote, '--person', 'nobody@example.com'), 'There is no person nobody@example.com.'],
      [
        create(...ofNote, '--content-type', 'pdf'),
        '--content-type must be a media type without parameters, such as application/pdf.',
      ],
      [create(...ofNote, '--byte-size', '-1'), '--byte-size must be a whole number from 0 to 9007199254740991.'],
      [create(...ofNote, '--issued-on', '2026-02-30'), '--issued-on must be a date that exists, written YYYY-MM-DD.'],
      [
        create(...ofNote, '--issued-on', '2026-02-02', '--expires-on', '2026-02-01'),
        '--expires-on must not lie before issued_on.',
      ],
      [['documents', 'update', 'doc_x', ...OF_ACME], 'Nothing to change: name at least one field; --help lists them.'],
      [['documents', 'remove', 'doc_x', ...OF_ACME], 'There is no such document.'],
    ];
    const said = await Promise.all(refusals.map(([parameters]) => refused(...parameters)));
    expect(said).toEqual(refusals.map(([, sentence]) => `${sentence}\n`));
    expect(await json('documents', 'list', ...OF_ACME)).toEqual({ documents: [] });
  });
});

describe('workforce provider-mappings', () => {
  it('creates, updates, lists and removes', async () => {
    const create = (...more: readonly string[]) => [
      ...words(
        'provider-mappings create --organisation acme --provider-name Xero --resource-type person --resource-id A-1 --external-id 00417',
      ),
      ...more,
    ];
    const created = await json<{ id: string; resource_id: string }>(...create());
    expect(created).toMatchObject({
      id: expect.stringMatching(/^pm_/) as string,
      provider_name: 'xero',
      resource_type: 'person',
      external_id: '00417',
      status: 'pending',
      last_synced_at: null,
    });
    expect(await refused(...create('--external-id', '00418'))).toBe('This provider has a mapping of it already.\n');
    expect(await refused(...create('--provider-name', 'sage', '--external-id', 'ada@example.com'))).toBe(
      "--external-id must be the provider's own id of the person, not an e-mail address.\n",
    );
    expect(await refused(...create('--resource-type', 'document'))).toBe('There is no such document.\n');
    const updated = await json(
      'provider-mappings',
      'update',
      created.id,
      ...words('--organisation acme --status active --last-synced-at 2026-01-31T10:30:00+01:00'),
    );
    expect(updated).toMatchObject({
      status: 'active',
      last_synced_at: '2026-01-31T09:30:00.000Z',
      external_id: '00417',
    });
    expect(await json('provider-mappings', 'update', created.id, ...OF_ACME, '--last-synced-at', '')).toMatchObject({
      last_synced_at: null,
    });
    expect(await json('provider-mappings', 'list', ...OF_ACME, '--provider-name', 'XERO')).toEqual({
      provider_mappings: [expect.objectContaining({ id: created.id })],
    });
    expect((await workforce('provider-mappings', 'remove', created.id, ...OF_ACME)).stdout).toBe(
      `Removed xero 00417 for person ${created.resource_id} (${created.id}).\n`,
    );
    expect(await json('provider-mappings', 'list', ...OF_ACME)).toEqual({ provider_mappings: [] });
  });
});
