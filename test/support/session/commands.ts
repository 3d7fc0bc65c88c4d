import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROLES } from '#kernel/roles.js';
import { pngPicture } from '../pictures.js';
import { chance, dayBetween, oneOf, plainText, someOf, text } from './chance.js';
import { proposal } from './requests.js';
import type { Setting, Steps, Taken } from './setting.js';
import { valueFor } from './values.js';

/** Every command of the program that writes product data, with random options. */
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
  'keys create': (at) =>
    run(at, 'keys create', [], {
      organisation: own(at),
      name: text(),
      scopes: oneOf(['all', 'people:read']),
      environment: oneOf(['live', 'sandbox']),
      expires: oneOf([null, '2031-01-31']),
    }),
  'sandbox refresh': (at) => run(at, 'sandbox refresh', [], { organisation: own(at) }),
  'keys revoke': async (at) => {
    // Tests give their own keys this name, and use them.
    const keys = await at.rows<{ readonly key_id: string }>(
      'api_keys',
      `key_id <> '${at.organisation.keyId}' and name <> 'test'`,
    );
    return run(at, 'keys revoke', [oneOf(keys).key_id]);
  },
  'users invite': (at) => run(at, 'users invite', [newAddress()], { organisation: own(at), role: oneOf(ROLES) }),
  'users set-role': (at) => withNewUser(at, 'users set-role', { role: oneOf(ROLES) }),
  'users deactivate': (at) => withNewUser(at, 'users deactivate'),
  'users reactivate': (at) => withOne(at, 'users reactivate', 'users', {}, "status <> 'erased'"),
  'users erase': (at) => withNewUser(at, 'users erase', { yes: true }),
  'users sign-out': (at) => withNewUser(at, 'users sign-out'),
  'locations create': (at) =>
    run(at, 'locations create', [], { organisation: own(at), ...location(), ...someOf(moreOfLocation()) }),
  'locations update': (at) =>
    withOne(at, 'locations update', 'locations', someOf({ ...location(), ...moreOfLocation() })),
  'locations deactivate': (at) => withOne(at, 'locations deactivate', 'locations'),
  'locations reactivate': (at) => withOne(at, 'locations reactivate', 'locations'),
  'org-units create': (at) =>
    run(at, 'org-units create', [], {
      organisation: own(at),
      name: text(),
      ...someOf({ code: oneOf(['', plainText()]) }),
    }),
  'org-units update': (at) =>
    withOne(at, 'org-units update', 'org_units', someOf({ name: text(), code: oneOf(['', plainText()]), parent: '' })),
  'org-units archive': (at) => withOne(at, 'org-units archive', 'org_units'),
  'org-units reactivate': (at) => withOne(at, 'org-units reactivate', 'org_units', {}, 'archived_at is not null'),
  'working-patterns create': (at) =>
    run(at, 'working-patterns create', [], {
      organisation: own(at),
      label: text(),
      days: oneOf(['mon-fri=240+210', 'mon=240+0,wed-thu=0+210']),
    }),
  'working-patterns update': (at) =>
    withOne(
      at,
      'working-patterns update',
      'working_patterns',
      someOf({ label: text(), days: oneOf(['mon-thu=240+210', 'sun=60+60']) }),
    ),
  'working-patterns archive': (at) => withOne(at, 'working-patterns archive', 'working_patterns'),
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
  'proposals approve': async (at) => run(at, 'proposals approve', [await proposal(at)], { organisation: own(at) }),
  'proposals reject': async (at) => run(at, 'proposals reject', [await proposal(at)], { organisation: own(at) }),
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
  'time-off-categories create': (at) =>
    run(at, 'time-off-categories create', [], { organisation: own(at), label: text(), ...someOf(category()) }),
  'time-off-categories update': (at) =>
    withOne(
      at,
      'time-off-categories update',
      'time_off_categories',
      someOf({ label: text(), ...category() }),
      'is_active',
    ),
  'time-off-categories archive': (at) => withOne(at, 'time-off-categories archive', 'time_off_categories'),
  'time-off-settings update': (at) =>
    run(at, 'time-off-settings update', [], {
      organisation: own(at),
      ...someOf({
        'leave-year-start': oneOf(['01-01', '07-01']),
        'pending-counts': oneOf(['yes', 'no']),
        'carry-over-max-minutes': 900,
        'holiday-region': oneOf(['', 'FR']),
      }),
    }),
  'public-holidays add': (at) =>
    run(at, 'public-holidays add', [dayBetween('2024-01-01', '2027-12-31')], {
      organisation: own(at),
      name: text(),
      'day-part': oneOf(['full', 'morning', 'afternoon']),
    }),
  'public-holidays remove': (at) =>
    run(at, 'public-holidays remove', [oneOf(['2026-12-25', '2027-01-01'])], { organisation: own(at) }),
  'public-holidays restore': (at) =>
    run(at, 'public-holidays restore', [oneOf(['2026-12-25', '2027-01-01'])], { organisation: own(at) }),
  'time-off approve': (at) => withOne(at, 'time-off approve', 'time_off', {}, "status_code = 'pending'"),
  'time-off reject': (at) => withOne(at, 'time-off reject', 'time_off', {}, "status_code = 'pending'"),
  'time-off cancel': (at) => withOne(at, 'time-off cancel', 'time_off', {}, "status_code in ('pending', 'approved')"),
  'webhooks create': (at) => run(at, 'webhooks create', [], { organisation: own(at), ...endpoint() }),
  'webhooks update': (at) =>
    withOne(
      at,
      'webhooks update',
      'webhooks',
      { ...someOf(endpoint()), ...oneOf([{}, { enable: true }, { disable: true }]) },
      "status <> 'deleted'",
    ),
  'webhooks rotate-secret': (at) => withOne(at, 'webhooks rotate-secret', 'webhooks', {}, "status <> 'deleted'"),
  'webhooks delete': (at) => withOne(at, 'webhooks delete', 'webhooks', {}, "status <> 'deleted'"),
  'webhooks test': (at) => withOne(at, 'webhooks test', 'webhooks', {}, "status = 'active'"),
  'webhooks redeliver': async (at) => {
    const id = await at.any('webhook_deliveries', "webhook_id in (select id from webhooks where status = 'active')");
    // The row that a worker writes after the endpoint has refused the delivery permanently.
    await at.api.database.pool.query(
      "update webhook_deliveries set status = 'failed', next_attempt_at = null, finished_at = now() where id = $1",
      [id],
    );
    return run(at, 'webhooks redeliver', [id], { organisation: own(at) });
  },
  'webhooks resend': (at) => withOne(at, 'webhooks resend', 'webhooks', { since: '2026-01-01' }, "status = 'active'"),
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

function newAddress(): string {
  return `user-${randomInt(1e9)}@example.com`;
}

async function withNewUser(at: Setting, name: string, options: Readonly<Record<string, unknown>> = {}): Promise<Taken> {
  const email = newAddress();
  await run(at, 'users invite', [email], { organisation: own(at), role: 'viewer' });
  return run(at, name, [email], { organisation: own(at), ...options });
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

/** Returns an endpoint with a public address, which needs no look-up. */
function endpoint(): Record<string, unknown> {
  return {
    name: text(),
    url: `https://93.184.216.34/${plainText()}`,
    events: oneOf(['all', 'person.created', 'webhook.test,time_off.approved']),
  };
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

function category(): Record<string, unknown> {
  return {
    code: oneOf(['', plainText().slice(0, 10)]),
    'requires-approval': oneOf(['yes', 'no']),
    unit: oneOf(['days', 'hours']),
    'annual-allowance-minutes': oneOf(['', '9000']),
  };
}
