import { listAnchors, loadAnchorKey } from '#audit/anchor-store.js';
import { anchorDigest } from '#audit/anchor.js';
import { Findings } from '#audit/findings.js';
import { verifyIfDue } from '#audit/requested-verifications.js';
import { keepVerification } from '#audit/verifications.js';
import { verifyHistory } from '#audit/verify.js';
import { type ReportRow, reportRows } from '#audit/report/report-rows.js';
import { PROJECTIONS } from '#composition/registry.js';
import { eventually } from '../contract/event-store.support.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import { anchorHistory, followLog } from '../support/follow-log.js';
import { allReadable } from '../support/postgres.js';
import { startTestWorker } from '../support/worker.js';
import type { Schemas } from '../support/api/shapes.js';

type Verification = Schemas['VerificationResponse'];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

describe('GET /audit/report', () => {
  let personId: string;

  beforeAll(async () => {
    ({ id: personId } = await people.create({ first_name: 'Ada', start_date: '2024-01-01', job_title: 'Engineer' }));
    await people.change(personId, { start_date: '2025-06-01', job_title: 'Lead' });
    await followLog(api.services, api.database.pool);
  });

  async function byCommand(withValues: boolean, person: string | null): Promise<readonly ReportRow[]> {
    const { executor, store: eventStore } = api.services;
    const query = { organisationId: organisation.row.id, personId: person, from: null, before: null, withValues };
    const rows: ReportRow[] = [];
    for await (const batch of reportRows({ executor, eventStore }, query)) rows.push(...batch);
    return rows;
  }

  const inOrder = (rows: readonly ReportRow[]): readonly ReportRow[] =>
    [...rows].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

  it.each([false, true])('has the rows of the command, page by page (with_values: %s)', async (withValues) => {
    for (const person of [personId, null]) {
      const query = { with_values: String(withValues), limit: 2, ...(person === null ? {} : { person_id: person }) };
      const rows = await people.all<ReportRow>('/audit/report', query);
      expect(inOrder(rows)).toEqual(inOrder(await byCommand(withValues, person)));
      expect(rows.map(({ recorded_at }) => recorded_at)).toEqual(rows.map(({ recorded_at }) => recorded_at).sort());
      expect(JSON.stringify(rows).includes('"Ada"')).toBe(withValues);
    }
  });

  it('opens nothing for a key that may not read what is encrypted', async () => {
    const { apiKey } = await api.key(organisation.row, { scopes: ['audit:read', 'people:read', 'documents:read'] });
    const client = api.client(apiKey);
    expectError(await client.get('/audit/report', { with_values: 'true' }), 403, 'permission_denied', 'with_values');
    expect(dataOf(200, await client.get<readonly ReportRow[]>('/audit/report')).length).toBeGreaterThan(0);
  });
});

describe('GET /audit/anchors and GET /audit/verification', () => {
  const verification = async (owner = organisation): Promise<Verification> =>
    dataOf(200, await owner.client.get<Verification>('/audit/verification'));

  /** As `workforce audit verify` does. */
  async function verify(organisationId: string | null = null): Promise<void> {
    const { pool } = api.database;
    const { publicKey } = await loadAnchorKey(pool);
    const startedAt = new Date();
    const found = await verifyHistory({
      pool,
      eventStore: api.services.store,
      projections: PROJECTIONS,
      publicKeys: [publicKey],
      organisationId,
    });
    await keepVerification(pool, found, { startedAt, organisationId, trustsOwnKey: true });
  }

  it('list anchors, newest first, each with the digest by which the next names it', async () => {
    const { pool } = api.database;
    for (let number = 1; number <= 3; number += 1) {
      await people.create();
      await anchorHistory(api.services, pool);
    }
    const listed = await people.all<{ number: number; digest: string; previous_digest: string | null }>(
      '/audit/anchors',
      { limit: 2 },
    );
    const anchors = (await listAnchors(pool)).toReversed();
    expect(listed.map(({ number }) => number)).toEqual([3, 2, 1]);
    expect(listed.map(({ digest }) => digest)).toEqual(anchors.map(anchorDigest));
    expect(listed.map(({ previous_digest }) => previous_digest)).toEqual([
      ...listed.slice(1).map(({ digest }) => digest),
      null,
    ]);
    expect(JSON.stringify(listed)).not.toContain(organisation.row.id);
  });

  it('show what was read and found of the own organisation, and nothing of others', async () => {
    const stranger = await api.organisation();
    const { id } = await people.create();
    await allReadable(api.database.pool);
    await verify();
    const own = (await api.services.store.readAll(null, 100_000)).filter(({ stream }) =>
      stream.includes(organisation.row.id),
    );
    expect(await verification()).toMatchObject({
      is_unaltered: true,
      events: own.length,
      streams: new Set(own.map(({ stream }) => stream)).size,
      last_anchor: { number: 3 },
      is_checked_against_noted_key: false,
      findings: [],
    });
    const { findings, ...rest } = await verification(stranger);
    expect(findings).toEqual([]);
    expect(rest.events).toBeLessThan(own.length);
    const finding = {
      kind: 'changed' as const,
      stream: `person-${organisation.row.id}.${id}`,
      revision: 0,
      message: 'the data were changed',
    };
    const altered = {
      events: 1,
      streams: 1,
      ofOrganisations: {},
      lastAnchor: null,
      anchored: 0,
      findings: [finding],
      found: 1,
      gaps: 0,
    };
    await keepVerification(api.database.pool, altered, {
      startedAt: new Date(),
      organisationId: null,
      trustsOwnKey: false,
    });
    expect(await verification()).toMatchObject({
      is_unaltered: false,
      is_checked_against_noted_key: true,
      findings: [{ kind: 'changed', resource_type: 'person', resource_id: id }],
    });
    expect(await verification(stranger)).toMatchObject({ is_unaltered: true, findings: [] });
    await verify(organisation.row.id);
    expect(await verification()).toMatchObject({ is_unaltered: true });
  });

  it('say that history was altered where findings about others crowd out the own ones', async () => {
    const stranger = await api.organisation();
    const findings = new Findings(null);
    const changed = { kind: 'changed', revision: 0, message: 'the data were changed' } as const;
    for (let number = 0; number < 1_000; number += 1)
      findings.add({ ...changed, stream: `person-${stranger.row.id}.${number}` });
    for (let number = 0; number < 2; number += 1)
      findings.add({ ...changed, stream: `person-${organisation.row.id}.${number}` });
    const { pool } = api.database;
    const ofOrganisations = Object.fromEntries(
      Array.from(findings.countsOfOrganisations, ([id, found]) => [id, { events: 0, streams: 0, found }]),
    );
    const altered = {
      events: 0,
      streams: 0,
      ofOrganisations,
      lastAnchor: null,
      anchored: 0,
      findings: findings.list,
      found: 1_002,
      gaps: 0,
    };
    await keepVerification(pool, altered, { startedAt: new Date(), organisationId: null, trustsOwnKey: true });
    expect(await verification()).toMatchObject({ is_unaltered: false, found: 2, findings: [] });
    const shown = await verification(stranger);
    expect(shown).toMatchObject({ is_unaltered: false, found: 1_000 });
    expect(shown.findings).toHaveLength(1_000);
  });
});

describe('POST /audit/verification', () => {
  const parts = () => {
    const { pool } = api.database;
    const open = async () => ({ pool, eventStore: api.services.store, close: () => Promise.resolve() });
    return { pool, projections: PROJECTIONS, open };
  };
  const isVerified = (): Promise<boolean> => verifyIfDue(parts(), new AbortController().signal);
  const verification = async (owner = organisation): Promise<Verification> =>
    dataOf(200, await owner.client.get<Verification>('/audit/verification'));
  const ask = async (owner = organisation): Promise<Verification> =>
    dataOf(200, await owner.client.post<Verification>('/audit/verification', {}));
  /** As if every verification had ended so long before. */
  const pass = (interval: string): Promise<unknown> =>
    api.database.pool.query('update history_verifications set ended_at = ended_at - $1::interval', [interval]);

  beforeEach(() => api.database.pool.query('truncate history_verifications, requested_verifications'));

  it('asks the workers once, however often it is sent, and is done when they have verified', async () => {
    const asked = await ask();
    expect(asked).toMatchObject({ requested_at: expect.any(String) as string, verified_at: null });
    expect(await ask()).toEqual(asked);
    expect(await verification()).toEqual(asked);
    const worker = await startTestWorker(api.database);
    await eventually(async () => (await verification()).requested_at === null).finally(() => worker.stop());
    const done = await verification();
    expect([done.verified_at! >= asked.requested_at!, done.events > 0]).toEqual([true, true]);
    const stranger = await api.organisation();
    expect(await verification(stranger)).toMatchObject({ requested_at: null });
  });

  it('is served at most every five minutes, and history is verified daily although nobody asks', async () => {
    expect([await isVerified(), await isVerified()]).toEqual([true, false]);
    await ask();
    expect(await isVerified()).toBe(false);
    await pass('6 minutes');
    expect([await isVerified(), (await verification()).requested_at]).toEqual([true, null]);
    await pass('6 minutes');
    expect(await isVerified()).toBe(false);
    await pass('1 day');
    expect(await isVerified()).toBe(true);
  });

  it('is done by one worker at a time, and by the next where one stops', async () => {
    await ask();
    const stopped = new AbortController();
    stopped.abort();
    expect([await verifyIfDue(parts(), stopped.signal), (await verification()).verified_at]).toEqual([false, null]);
    expect((await Promise.all([isVerified(), isVerified(), isVerified()])).filter((done) => done)).toHaveLength(1);
  });
});
