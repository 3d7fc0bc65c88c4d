import { randomUUID } from 'node:crypto';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { killRebuilds } from '../killed-rebuilds.js';
import { PROJECTIONS } from '#composition/registry.js';
import { allReadable } from '../postgres.js';
import { dataOf, type SendOptions } from './http-client.js';
import type { Marker } from './markers.js';
import { newEmail, PeopleActions } from './people.js';
import { textsOf } from './private-values.js';
import type { PrivateSetting } from './private-setting.js';

/** External ids of the person and of their resources: from current, changed and removed mappings. */
const EXTERNAL_IDS = [
  'EXT-7319-now',
  'EXT-7319-former',
  'EXT-7319-removed',
  'EXT-7319-document',
  'EXT-7319-time-off',
] as const;
const TITLE = 'Title-7319 of a job';
const FILE = 'File-7319 of a starter.csv';

/** The traces in addition to those of `writePrivateValues`. */
export const TRACES: readonly Marker[] = [
  ...EXTERNAL_IDS.map((text) => ({ kind: 'external_id', text })),
  { kind: 'title', text: TITLE },
  { kind: 'file_name', text: FILE },
];

/** A write whose answer is stored for retries. */
export interface RecordedWrite {
  readonly method: string;
  readonly path: string;
  readonly options: SendOptions;
}

/**
 * Leaves every kind of trace of the setting's person: every route that writes about them or names them, with
 * a receipt of each; mappings of the person and of their resources; deliveries; interrupted rebuilds. Returns
 * the writes.
 */
export async function leaveTraces(setting: PrivateSetting): Promise<readonly RecordedWrite[]> {
  const { personId: id, everybody } = setting;
  const people = new PeopleActions({ client: everybody });
  const kept: RecordedWrite[] = [];
  const write = async <Data>(
    status: number,
    method: string,
    path: string,
    body?: object,
    ifMatch?: string,
  ): Promise<Data> => {
    const options: SendOptions = {
      idempotencyKey: randomUUID(),
      ...(body === undefined ? {} : { body }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    };
    kept.push({ method, path, options });
    return dataOf<Data>(status, await everybody.send<Data>(method, path, options));
  };
  const [first_name] = textsOf('name');
  const [reason] = textsOf('reason');
  await write(200, 'PATCH', `/people/${id}`, { first_name: `${first_name!} again` }, await people.personTag(id));
  await write(200, 'PATCH', `/people/${id}`, { first_name }, await people.personTag(id));
  await write(
    200,
    'PATCH',
    `/people/${id}/employment`,
    { start_date: '2024-03-01', job_title: TITLE },
    await people.employmentTag(id),
  );
  await write(201, 'POST', `/people/${id}/employment-history`, {
    start_date: '2024-02-01',
    job_title: TITLE,
    correction_reason: reason,
  });
  const { fact_id: corrects } = (await people.facts(id)).find(({ effective_from }) => effective_from === '2024-02-01')!;
  await write(201, 'POST', `/people/${id}/employment-history`, {
    start_date: '2024-02-02',
    job_title: TITLE,
    correction_reason: reason,
    corrects,
  });
  const dates = { start_date: '2026-02-02', end_date: '2026-02-03' };
  const asked = await write<{ id: string }>(201, 'POST', '/time-off', {
    person_id: id,
    category_id: setting.idOf('toc_'),
    ...dates,
  });
  await write(200, 'PATCH', `/time-off/${asked.id}`, { end_date: '2026-02-04' });
  await write(200, 'POST', `/time-off/${asked.id}/approve`);
  await write(201, 'POST', `/people/${id}/time-off-balance/adjustments`, {
    category_id: setting.idOf('toc_'),
    amount_minutes: 60,
    effective_date: '2026-02-01',
    reason_code: 'grant',
  });
  await write(201, 'POST', '/people', { work_email: newEmail(), manager_id: id });
  await write(200, 'PATCH', `/org-units/${setting.idOf('org_unit_')}`, { head_id: id, code: 'ENG-7' });
  const csv = `work_email,first_name\n${newEmail()},${first_name!}`;
  const imported = await write<{ id: string }>(201, 'POST', '/imports', { kind: 'people', file_name: FILE, csv });
  await write(200, 'POST', `/imports/${imported.id}/cancel`);
  await write(201, 'POST', '/imports', { kind: 'people', file_name: FILE, csv });
  await refusedWrites(setting, kept);
  await mappings(setting);
  await breakOffRebuilds(setting);
  return kept;
}

/** Answers to refused writes are stored too. */
async function refusedWrites({ personId: id, everybody }: PrivateSetting, kept: RecordedWrite[]): Promise<void> {
  const [reason] = textsOf('reason');
  const body = { start_date: '2019-01-01', job_title: TITLE, correction_reason: reason };
  const write = {
    method: 'POST',
    path: `/people/${id}/employment-history`,
    options: { body, idempotencyKey: randomUUID() },
  };
  const { status } = await everybody.send(write.method, write.path, write.options);
  if (status !== 409) throw new Error(`a fact outside every period was answered ${status}`);
  kept.push(write);
}

async function mappings(setting: PrivateSetting): Promise<void> {
  const organisation = setting.organisation.row.id;
  const run = async (
    name: string,
    positional: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string }> => {
    const ran = await setting.program.run(name, positional, { organisation, json: true, ...options });
    if (ran.exitCode !== 0) throw new Error(`${name}: ${ran.stdout}${ran.stderr}`);
    return JSON.parse(ran.stdout) as { id: string };
  };
  const [now, former, removed, ofDocument, ofTimeOff] = EXTERNAL_IDS;
  const create = (provider: string, type: string, id: string, external: string) =>
    run('provider-mappings create', [], {
      'provider-name': provider,
      'resource-type': type,
      'resource-id': id,
      'external-id': external,
    });
  const changed = await create('sage', 'person', setting.personId, former);
  await run('provider-mappings update', [changed.id], { 'external-id': now, status: 'error' });
  const gone = await create('bamboo', 'person', setting.personId, removed);
  await run('provider-mappings delete', [gone.id], {});
  await create('sage', 'document', setting.idOf('doc_'), ofDocument);
  const theirs = await create('sage', 'time_off', setting.idOf('to_'), ofTimeOff);
  await run('provider-mappings delete', [theirs.id], {});
}

/** Kills rebuilds after they filled their tables. */
async function breakOffRebuilds({ api }: PrivateSetting): Promise<void> {
  await allReadable(api.database.pool);
  const eventStore = new Proxy(api.services.store, {
    get: (store, name) => {
      // The log is read after the tables were filled.
      if (name === 'readAll')
        return () => killRebuilds(api.database.pool).then(() => Promise.reject(new Error('broken off')));
      const member = Reflect.get(store, name) as unknown;
      return typeof member === 'function' ? (member.bind(store) as unknown) : member;
    },
  });
  for (const projection of PROJECTIONS.filter(({ needsPersonKeys }) => needsPersonKeys)) {
    const error = await rebuild(
      { pool: api.database.pool, eventStore, clock: { now: () => new Date() } },
      projection,
    ).then(
      () => null,
      (cause: Error) => cause,
    );
    if (error?.message !== 'broken off')
      throw error ?? new Error(`the rebuild of ${projection.name} did not break off`);
  }
}
