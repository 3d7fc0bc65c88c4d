import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pngPicture } from '../pictures.js';
import { chance, dayBetween, oneOf, plainText, someOf, text } from './chance.js';
import type { Setting, Steps, Taken } from './setting.js';
import { valueFor } from './values.js';

/** Every command of the program that writes what no route of the API does, with random options. */
export const COMMANDS: Steps = {
  'organisations create': (at) =>
    run(at, 'organisations create', [], {
      name: text(),
      subdomain: plainText(),
      country: oneOf(['GB', 'DE', 'NZ']),
      plan: 'standard',
      'time-zone': oneOf(['UTC', 'Pacific/Auckland']),
      'approve-writes': oneOf([true, null]),
    }),
  'organisations update': (at) =>
    run(
      at,
      'organisations update',
      [own(at)],
      someOf({
        name: text(),
        country: oneOf(['GB', 'DE']),
        'logo-url': oneOf(['', 'https://example.com/a.png']),
        'primary-color-light': oneOf(['', '#aabbcc']),
        'holiday-region': oneOf(['', 'GB-ENG']),
      }),
    ),
  // The session continues to write over HTTP, so this command affects another organisation.
  'organisations approve-writes': async (at) =>
    run(at, 'organisations approve-writes', [await anotherOrganisation(at)]),
  'organisations revoke-writes': async (at) => run(at, 'organisations revoke-writes', [await anotherOrganisation(at)]),
  'sandbox refresh': (at) => run(at, 'sandbox refresh', [], { organisation: own(at) }),
  'users erase': async (at) => {
    const email = `user-${randomInt(1e9)}@example.com`;
    await run(at, 'users invite', [email], { organisation: own(at), role: 'viewer' });
    return run(at, 'users erase', [email], { organisation: own(at), yes: true });
  },
  'locations create': (at) =>
    run(at, 'locations create', [], { organisation: own(at), ...location(), ...someOf(moreOfLocation()) }),
  'locations update': (at) =>
    withOne(at, 'locations update', 'locations', someOf({ ...location(), ...moreOfLocation() })),
  'locations deactivate': (at) => withOne(at, 'locations deactivate', 'locations'),
  'locations reactivate': (at) => withOne(at, 'locations reactivate', 'locations'),
  'reference create': (at) =>
    run(at, 'reference create', [], { organisation: own(at), dictionary: oneOf(DICTIONARIES), label: text() }),
  'reference update': (at) => {
    const dictionary = oneOf(DICTIONARIES);
    return withOne(at, 'reference update', dictionary.replace('-', '_'), {
      dictionary,
      ...oneOf([{ label: text() }, { deactivate: true }, { reactivate: true }]),
    });
  },
  'people set-personal': async (at) =>
    run(at, 'people set-personal', [(await at.person()).person_id], {
      organisation: own(at),
      ...someOf(profile()),
      ...(chance(30) ? ADDRESS : {}),
    }),
  'people set-avatar': async (at) =>
    run(at, 'people set-avatar', [(await at.person()).person_id], { organisation: own(at), file: await picture(at) }),
  'people mark-payroll': async (at) =>
    run(at, 'people mark-payroll', [(await at.person()).person_id], {
      organisation: own(at),
      marker: oneOf(['compensation', 'bank_details', 'tax_id', 'government_id']),
      state: oneOf(['present', 'changed', 'absent']),
      from: dayBetween('2024-01-01', '2027-12-31'),
    }),
  'people withdraw-fact': async (at) => {
    const { person_id: id } = await at.person('start_date is not null');
    const { fact_id: fact } = oneOf(
      await at.rows<{ readonly fact_id: string }>('employment_facts', `person_id = '${id}'`),
    );
    return run(at, 'people withdraw-fact', [id], { organisation: own(at), fact, reason: text() });
  },
  // A person that no other step needs, because the session continues with the others.
  'people erase': async (at) => {
    const { id } = await at.people.create({ first_name: text(), start_date: '2025-01-01' });
    return run(at, 'people erase', [id], {
      organisation: own(at),
      'end-on': '2025-06-30',
      reason: oneOf([null, text()]),
      yes: true,
    });
  },
  'documents create': async (at) => {
    const [type, person] = [await at.any('document_types', 'is_active'), await at.person()];
    return run(at, 'documents create', [], {
      organisation: own(at),
      person: person.work_email,
      name: text(),
      'document-type': type,
      'content-type': 'application/pdf',
      'byte-size': randomInt(1e6),
      'expires-on': oneOf([null, '2030-01-01']),
    });
  },
  'documents update': (at) =>
    withOne(
      at,
      'documents update',
      'documents',
      someOf({ name: text(), 'byte-size': randomInt(1e6), 'expires-on': oneOf(['', '2031-01-01']) }),
      'removed_at is null',
    ),
  'documents delete': (at) => withOne(at, 'documents delete', 'documents', {}, 'removed_at is null'),
  'provider-mappings create': async (at) => {
    const what = oneOf([
      ['person', (await at.person()).person_id],
      ['org_unit', await at.any('org_units')],
      ['time_off_category', await at.any('time_off_categories')],
    ] as const);
    return run(at, 'provider-mappings create', [], {
      organisation: own(at),
      'provider-name': oneOf(['xero', 'sage', 'bamboo']),
      'resource-type': what[0],
      'resource-id': what[1],
      'external-id': plainText(),
    });
  },
  'provider-mappings update': (at) =>
    withOne(
      at,
      'provider-mappings update',
      'provider_mappings',
      someOf({
        'external-id': plainText(),
        status: oneOf(['active', 'error']),
        'last-synced-at': '2026-01-01T00:00:00Z',
      }),
      'removed_at is null',
    ),
  'provider-mappings delete': (at) =>
    withOne(at, 'provider-mappings delete', 'provider_mappings', {}, 'removed_at is null'),
  // Not the operation that other lanes have proposed meanwhile.
  'mcp allow': (at) => run(at, 'mcp allow', [oneOf(UNPROPOSED), oneOf(UNPROPOSED)], { organisation: own(at) }),
  'mcp withdraw': (at) => run(at, 'mcp withdraw', [oneOf(UNPROPOSED)], { organisation: own(at) }),
  'custom-fields create': (at) => {
    const type = oneOf(['text', 'number', 'date', 'boolean', 'single_select']);
    return run(at, 'custom-fields create', [], {
      organisation: own(at),
      key: plainText(),
      label: text(),
      'field-type': type,
      'api-access': oneOf(['hidden', 'read_write', 'read_write']),
      sensitivity: oneOf(['operational', 'payroll']),
      option: type === 'single_select' ? ['a:A', 'b:B "b"'] : null,
    });
  },
  'custom-fields update': (at) =>
    withOne(
      at,
      'custom-fields update',
      'custom_fields',
      someOf({
        label: text(),
        description: oneOf(['', text()]),
        'display-order': randomInt(9),
        'is-required': oneOf(['true', 'false']),
      }),
    ),
  'custom-fields set': async (at) => {
    const field = oneOf(await at.rows<{ readonly key: string } & Parameters<typeof valueFor>[0]>('custom_fields'));
    const change = chance(20) ? { clear: field.key } : { value: `${field.key}=${valueFor(field)}` };
    return run(at, 'custom-fields set', [(await at.person()).person_id], { organisation: own(at), ...change });
  },
  'secrets rotate': (at) => run(at, 'secrets rotate', [oneOf(ROTATED)]),
  'secrets reseal': (at) => run(at, 'secrets reseal', [oneOf(['webhook-secrets', 'personal-data'])]),
  'secrets retire': async (at) => {
    const { rows } = await at.api.database.pool.query<{ ring: string; version: number }>(
      "select ring, version from key_rings where ring in ('webhook_secrets', 'personal_data') and retired_at is null",
    );
    const { ring, version } = oneOf(rows);
    return run(at, 'secrets retire', [ring.replace('_', '-'), String(version)]);
  },
  'import people': async (at) => {
    const rows = Array.from({ length: 3 }, () => [
      `${plainText()}@example.com`,
      text(),
      dayBetween('2024-01-01', '2026-12-31'),
      text(),
      plainText(),
    ]);
    return importing(
      at,
      'people',
      [
        ['work_email', 'first_name', 'start_date', 'job_title', 'department'],
        ...rows,
        [(await at.person()).work_email, text(), '', '', ''],
      ],
      { 'create-missing': true },
    );
  },
  'import employment-history': async (at) => {
    const { work_email: email, start_date: start } = await at.person("start_date is not null and status = 'active'");
    return importing(at, 'employment-history', [
      ['work_email', 'action', 'start_date', 'job_title'],
      ...[1, 2].map(() => [email, 'change', dayBetween(start!, '2027-12-31'), text()]),
    ]);
  },
  'import time-off': async (at) => {
    const { work_email: email, start_date: start } = await at.person(
      "start_date is not null and status = 'active' and working_pattern_id is not null",
    );
    const day = dayBetween(start!, '2027-12-31');
    return importing(at, 'time-off', [
      ['work_email', 'category', 'start_date', 'end_date', 'status'],
      [email, await at.any('time_off_categories', 'is_active'), day, day, oneOf(['approved', 'pending', 'rejected'])],
    ]);
  },
  'import payroll-markers': async (at) =>
    importing(at, 'payroll-markers', [
      ['work_email', 'marker', 'state', 'effective_date'],
      [
        (await at.person()).work_email,
        oneOf(['compensation', 'tax_id']),
        'changed',
        dayBetween('2024-01-01', '2027-12-31'),
      ],
    ]),
  'import locations': (at) =>
    importing(at, 'locations', [
      ['label', 'address_line_1', 'city', 'country', 'capacity'],
      ...[1, 2].map(() => [text(), text(), text(), 'NO', '12']),
    ]),
};

const ROTATED = ['cursors', 'picture-links', 'webhook-secrets', 'personal-data', 'personal-data'];
const UNPROPOSED = ['createPerson', 'endPerson', 'createTimeOff', 'approveTimeOff'];
const DICTIONARIES = ['work-types', 'work-places', 'document-types'] as const;
const ADDRESS = { 'home-address-line-1': '1 Long Lane', 'home-address-city': 'Łódź', 'home-address-country': 'PL' };

async function run(
  at: Setting,
  name: string,
  positional: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): Promise<Taken> {
  const { exitCode, stdout, stderr } = await at.program.run(name, positional, options);
  // A refusal by the rules is a sentence; anything else is an error of the program or of the database.
  if (exitCode !== 0 && /TypeError|undefined|violates|syntax error|missing|cannot read/i.test(stderr))
    throw new Error(`${name} ${JSON.stringify(options)}: ${stderr}`);
  return { done: exitCode === 0, answer: exitCode === 0 ? '' : `${stdout}${stderr}` };
}

async function withOne(
  at: Setting,
  name: string,
  table: string,
  options: Readonly<Record<string, unknown>> = {},
  condition?: string,
): Promise<Taken> {
  return run(at, name, [await at.any(table, condition)], { organisation: own(at), ...options });
}

async function importing(
  at: Setting,
  what: string,
  cells: readonly (readonly string[])[],
  options: Readonly<Record<string, unknown>> = {},
): Promise<Taken> {
  const file = join(at.directory, `${plainText()}.csv`);
  await writeFile(file, cells.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n'));
  return run(at, `import ${what}`, [file], { organisation: own(at), ...options });
}

function own({ organisation }: Setting): string {
  return organisation.row.id;
}

/** Returns an organisation made by a command, because those made by tests continue to write. */
async function anotherOrganisation(at: Setting): Promise<string> {
  const { rows } = await at.api.database.pool.query<{ id: string }>(
    "select id from organisations where id <> $1 and plan <> 'starter' and subdomain not like 't-%' limit 1",
    [own(at)],
  );
  if (rows[0] !== undefined) return rows[0].id;
  await COMMANDS['organisations create']!(at);
  return anotherOrganisation(at);
}

async function picture(at: Setting): Promise<string> {
  const file = join(at.directory, `${plainText()}.png`);
  await writeFile(file, pngPicture({ width: randomInt(1, 9), comment: plainText() }));
  return file;
}

function location(): Record<string, unknown> {
  return { label: text(), 'address-line-1': text(), city: text(), country: oneOf(['NO', 'GB']) };
}

function moreOfLocation(): Record<string, unknown> {
  return {
    'address-line-2': oneOf(['', text()]),
    'region-state': text(),
    'postal-code': plainText(),
    capacity: oneOf(['', '0', '12']),
  };
}

function profile(): Record<string, unknown> {
  return {
    'middle-names': oneOf(['', text()]),
    'date-of-birth': dayBetween('1950-01-01', '2008-12-31'),
    'personal-email': `${plainText()}@example.net`,
    'work-phone-number': oneOf(['', '+44 20 7946 0018']),
  };
}
