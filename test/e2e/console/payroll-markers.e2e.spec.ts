import { signedIn } from '../../support/api/browser-session.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import type { Schemas } from '../../support/api/shapes.js';

interface Marker {
  readonly id: string;
  readonly marker: string;
  readonly state: string;
  readonly effective_date: string;
}
type Change = Schemas['PayrollChangeResponse'];
type Readiness = Schemas['PayrollReadinessResponse'];

let own: TestOrganisation;
let personId: string;
const api = TestApi.forSpec();
beforeEach(async () => {
  own = await api.organisation();
  personId = (await new PeopleActions(own).create({ start_date: '2024-01-01', job_title: 'Engineer' })).id;
});

const route = (id = personId): string => `/console/people/${id}/payroll-markers`;
const marker = (of: string, state: string, effective_date: string) => ({ marker: of, state, effective_date });
const MARCH = { from: '2026-03-01', to: '2026-03-31' };

const hr = () => signedIn(api, own.row.id, 'hr');
const markersIn = (answer: { readonly text: string }): readonly Marker[] =>
  (JSON.parse(answer.text) as { data: readonly Marker[] }).data;

async function changes(query: object): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await own.client.get<readonly Change[]>('/payroll-changes-export', {
      ...MARCH,
      ...query,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.json.data);
    cursor = (page.json as unknown as { pagination: { next_cursor?: string } }).pagination.next_cursor;
    if (cursor === undefined) return found;
  }
}

async function readiness(): Promise<Readiness> {
  const { json } = await own.client.get<readonly Readiness[]>('/payroll-readiness-export');
  return json.data.find(({ person }) => person.id === personId)!;
}

describe('markers of payroll', () => {
  it('are in the changes of payroll, each once, in whatever pages they are read, and so are their withdrawals', async () => {
    const { browser, user } = await hr();
    await browser.send('POST', route(), { body: marker('compensation', 'changed', '2026-03-01') });
    await browser.send('POST', route(), { body: marker('bank_details', 'changed', '2026-03-16') });
    await browser.send('POST', route(), { body: marker('compensation', 'changed', '2027-03-01') });
    await new PeopleActions(own).change(personId, { start_date: '2026-03-02', job_title: 'Lead' });
    const answer = await browser.send('POST', route(), { body: marker('compensation', 'changed', '2026-03-01') });
    const [, banking, compensation] = markersIn(answer);
    expect(markersIn(answer)).toHaveLength(3);
    expect(markersIn(await browser.send('POST', route(), { body: { withdraws: banking!.id } }))).toHaveLength(2);
    const rows = (await changes({})).map((row) => [
      row.change_type,
      row.effective_date,
      row.changed_fields,
      row.compensation_changed,
      row.banking_changed,
    ]);
    expect(rows).toEqual([
      ['employment_change', '2026-03-01', ['compensation'], true, false],
      ['employment_change', '2026-03-16', ['bank_details'], false, true],
      ['employment_change', '2026-03-02', ['job_title'], false, false],
      ['correction', '2026-03-16', ['bank_details'], false, true],
    ]);
    expect((await changes({}))[0]!.fact_id).toBe(compensation!.id);
    expect(await changes({ limit: 1 })).toEqual(await changes({}));
    const events = await api.services.store.readStream(`payroll-markers-${own.row.id}.${personId}`);
    expect(events.map(({ type }) => type)).toEqual([
      'PayrollMarkerRecorded',
      'PayrollMarkerRecorded',
      'PayrollMarkerRecorded',
      'PayrollMarkerWithdrawn',
    ]);
    expect(events.map(({ metadata }) => metadata.actor)).toEqual(events.map(() => ({ type: 'user', id: user.id })));
  });

  it('are present to readiness from their day on, until one says that it is gone', async () => {
    const { browser } = await hr();
    const presentIn = ({ presence }: Readiness): readonly string[] =>
      (['compensation', 'bank_details', 'tax_id', 'government_id'] as const).filter((name) => presence[name]);
    expect(presentIn(await readiness())).toEqual([]);
    const sent: readonly (readonly [string, string, string])[] = [
      ['compensation', 'changed', '2024-01-01'],
      ['bank_details', 'present', '2024-01-01'],
      ['tax_id', 'present', '2024-01-01'],
      ['tax_id', 'absent', '2024-02-01'],
      ['government_id', 'present', '2999-01-01'],
    ];
    for (const [of, state, date] of sent)
      expect((await browser.send('POST', route(), { body: marker(of, state, date) })).status).toBe(200);
    const after = await readiness();
    expect(presentIn(after)).toEqual(['compensation', 'bank_details']);
    expect(after.issues.map(({ field }) => field)).toEqual(expect.arrayContaining(['tax_id', 'government_id']));
    expect(after.issues.map(({ field }) => field)).not.toContain('bank_details');
    // That something is there is no change to pay for.
    expect(await changes({ from: '2024-01-01', to: '2024-01-31' })).toMatchObject([
      { change_type: 'starter' },
      { compensation_changed: true },
    ]);
  });

  it('are out of reach of API keys, of roles without the scopes, and of people elsewhere', async () => {
    const ofKey = await fetch(`${api.url}${route()}`, { headers: { authorization: `Bearer ${own.apiKey}` } });
    expect(ofKey.status).toBe(401);
    const viewer = (await signedIn(api, own.row.id, 'viewer')).browser;
    expect((await viewer.send('GET', route())).status).toBe(403);
    const auditor = (await signedIn(api, own.row.id, 'auditor')).browser;
    expect((await auditor.send('GET', route())).status).toBe(200);
    expect((await auditor.send('POST', route(), { body: marker('tax_id', 'present', '2024-01-01') })).status).toBe(403);
    const { browser } = await hr();
    expect((await browser.send('GET', route('000000000000'))).status).toBe(404);
    expect(
      (await browser.send('POST', route('000000000000'), { body: marker('tax_id', 'present', '2024-01-01') })).status,
    ).toBe(404);
    const foreign = (await signedIn(api, (await api.organisation()).row.id, 'hr')).browser;
    expect((await foreign.send('GET', route())).status).toBe(404);
  });

  it.each([
    [{ marker: 'salary', state: 'present', effective_date: '2024-01-01' }],
    [{ marker: 'compensation', state: 'present', effective_date: '2024-02-30' }],
    [{ marker: 'compensation', state: 'present', effective_date: '2024-01-01', value: 50_000 }],
    [{}],
  ])('take no value, and refuse %j', async (body) => {
    const { browser } = await hr();
    const answer = await browser.send('POST', route(), { body });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
  });
});
