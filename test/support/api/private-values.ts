import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SENSITIVITIES } from '#organisation/custom-field/custom-field.rules.js';
import { pngPicture } from '../pictures.js';
import type { InProcessProgram } from '../session/in-process-program.js';
import { CustomFieldActions } from './custom-fields.js';
import { type ApiClient, dataOf } from './http-client.js';
import type { Allowed, Marker } from './markers.js';
import { PeopleActions } from './people.js';
import type { TestApi, TestOrganisation } from './test-api.js';

const NOBODY: ReadonlySet<string> = new Set();
const READS_OF_A_PERSON = [
  'listPeople',
  'listReports',
  'getPerson',
  'listTimeOff',
  'getTimeOff',
  'listDocuments',
  'getDocument',
  'listOrgUnits',
  'getOrgUnit',
  'listPayrollChanges',
  'listPayrollReadiness',
  'listActivity',
  'listTimeOffBalances',
];

/** Commands that show people. */
const OF_PEOPLE = ['people list', 'people show'];

const CUSTOM_VALUES: ReadonlySet<string> = new Set(['getPersonCustomFields', 'listActivity']);

/**
 * Private data, where it may appear, and its names. Tables store identity unencrypted; all other private data
 * is encrypted.
 */
export const PRIVATE: Readonly<Record<string, Allowed>> = {
  name: {
    operations: new Set([
      ...READS_OF_A_PERSON,
      'getEmployment',
      'listEmploymentFacts',
      'getTimeline',
      'listTimelineBeliefs',
      'getOrgUnitTree',
      'listWhoIsOut',
    ]),
    scopes: [],
    tables: new Set(['people', 'idempotency_receipts']),
    commands: new Set([
      ...OF_PEOPLE,
      ...[
        'documents list',
        'timeline',
        'org-units list',
        'org-units show',
        'time-off list',
        'time-off show',
        'time-off-balances show',
      ],
    ]),
  },
  email: {
    operations: new Set(['listPeople', 'getPerson', 'listActivity']),
    scopes: [],
    tables: new Set(['people', 'work_email_reservations', 'idempotency_receipts']),
    commands: new Set([...OF_PEOPLE, 'timeline']),
  },
  staff_id: {
    operations: new Set(['listPeople', 'getPerson', 'listPayrollChanges', 'listPayrollReadiness', 'listActivity']),
    scopes: [],
    tables: new Set(['people', 'idempotency_receipts']),
    commands: new Set(OF_PEOPLE),
  },
  reason: {
    operations: new Set([
      'listEmploymentFacts',
      'getTimeline',
      'listTimelineBeliefs',
      'listActivity',
      'listAuditReport',
    ]),
    scopes: [],
    tables: new Set(['events', 'employment_facts', 'idempotency_receipts']),
    commands: new Set(['timeline', 'audit report']),
  },
  profile: {
    operations: new Set(['getPersonalProfile', 'listActivity']),
    scopes: ['people:personal:read'],
    tables: NOBODY,
    commands: NOBODY,
  },
  picture: { operations: NOBODY, scopes: ['people:avatar:read'], tables: NOBODY, commands: NOBODY },
  note: {
    operations: NOBODY,
    scopes: ['time_off:decisions:read'],
    tables: NOBODY,
    commands: NOBODY,
  },
  document: {
    operations: new Set(['listDocuments', 'getDocument', 'listActivity']),
    scopes: ['documents:read'],
    tables: NOBODY,
    commands: new Set(['documents list']),
  },
  operational: { operations: CUSTOM_VALUES, scopes: ['custom_fields:read'], tables: NOBODY, commands: NOBODY },
  personal: { operations: CUSTOM_VALUES, scopes: ['people:personal:read'], tables: NOBODY, commands: NOBODY },
  demographic: { operations: CUSTOM_VALUES, scopes: ['people:personal:read'], tables: NOBODY, commands: NOBODY },
  payroll: { operations: CUSTOM_VALUES, scopes: ['payroll_exports:read'], tables: NOBODY, commands: NOBODY },
};

const TEXTS: readonly Marker[] = [
  { kind: 'name', text: 'Zarathustra-First' },
  { kind: 'name', text: 'Zarathustra-Preferred' },
  { kind: 'name', text: 'Zarathustra-Last' },
  { kind: 'email', text: 'zarathustra.work@marker.example' },
  { kind: 'staff_id', text: 'ZARA-STAFF-7319' },
  { kind: 'reason', text: 'Reason-7319 of a correction' },
  { kind: 'profile', text: 'Middle-7319 Names' },
  { kind: 'profile', text: '1931-07-19' },
  { kind: 'profile', text: 'private.7319@marker.example' },
  { kind: 'profile', text: '+44 7700 918273' },
  { kind: 'profile', text: '+44 117 918 2736' },
  { kind: 'profile', text: 'Marker Lane 7319' },
  { kind: 'profile', text: 'Markerville-7319' },
  { kind: 'picture', text: 'Comment-7319-in-the-picture' },
  { kind: 'document', text: 'Warning-7319-for-lateness.pdf' },
  { kind: 'note', text: 'Note-7319-of-a-decision' },
  ...SENSITIVITIES.map((kind) => ({ kind, text: `Value-7319-${kind}` })),
];

/** Every private text that {@link writePrivateValues} writes. */
export const MARKERS: readonly Marker[] = TEXTS;

/** Returns the texts of a kind, in order. */
export function textsOf(kind: string): readonly string[] {
  return TEXTS.filter((marker) => marker.kind === kind).map(({ text }) => text);
}

/**
 * Writes a private text of each kind to a person: through the API where it accepts the text, else at the
 * command line; values of custom fields both ways. Returns the id of the document.
 */
export async function writePrivateValues(
  {
    api,
    organisation,
    client,
    program,
    directory,
  }: {
    readonly api: TestApi;
    readonly organisation: TestOrganisation;
    readonly client: ApiClient;
    readonly program: InProcessProgram;
    readonly directory: string;
  },
  personId: string,
): Promise<void> {
  const people = new PeopleActions({ client });
  const [first_name, preferred_name, last_name] = textsOf('name');
  await people.identity(personId, {
    first_name,
    preferred_name,
    last_name,
    work_email: textsOf('email')[0],
    staff_id: textsOf('staff_id')[0],
  });
  const run = async (
    name: string,
    positional: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const ran = await program.run(name, positional, { organisation: organisation.row.id, ...options });
    if (ran.exitCode !== 0) throw new Error(`${name}: ${ran.stderr}`);
  };
  const [middle, born, mail, phone, workPhone, line, city] = textsOf('profile');
  const address = { 'home-address-line-1': line, 'home-address-city': city, 'home-address-country': 'GB' };
  await run('people set-personal', [personId], {
    'middle-names': middle,
    'date-of-birth': born,
    'personal-email': mail,
    'personal-phone-number': phone,
    'work-phone-number': workPhone,
    ...address,
  });
  const file = join(directory, 'picture.png');
  await writeFile(file, pngPicture({ pixels: textsOf('picture')[0]! }));
  await run('people set-avatar', [personId], { file });
  const type = { 'document-type': 'Contract', 'content-type': 'application/pdf', 'byte-size': 1 };
  await run('documents create', [], { person: personId, name: textsOf('document')[0], ...type });
  const fields = new CustomFieldActions(api, organisation, { client });
  for (const [index, sensitivity] of SENSITIVITIES.entries()) {
    const key = `of_${sensitivity}`;
    const { id } = await fields.define(key, { sensitivity });
    const value = textsOf(sensitivity)[0]!;
    if (index % 2 === 0) await run('custom-fields set', [personId], { value: `${key}=${value}` });
    else dataOf(200, await fields.write(personId, [{ field_id: id, value }]));
  }
  const { fact_id: corrects } = (await people.facts(personId))[0]!;
  await people.correct(personId, {
    start_date: '2024-01-01',
    job_title: 'Engineer',
    corrects,
    correction_reason: textsOf('reason')[0],
  });
  const [pending] = await people.all<{ readonly id: string }>('/time-off', { person_id: personId, status: 'pending' });
  const decision = { decision: 'approved', note: textsOf('note')[0] };
  dataOf(201, await client.post(`/time-off/${pending!.id}/decisions`, decision));
}
