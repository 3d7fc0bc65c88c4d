import { type ApiAnswer, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Fact } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';
const REASON = 'The resignation was withdrawn.';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const withdraw = (id: string, corrects: string, more: object = {}, headers: object = {}): Promise<ApiAnswer<Fact>> =>
  organisation.client.post<Fact>(
    `/people/${id}/employment-history`,
    { corrects, correction_reason: REASON, withdraw: true, ...more },
    headers,
  );

async function lastFact(id: string): Promise<Fact> {
  return (await people.facts(id)).at(-1)!;
}

/** The timeline as `[from, to, title]`, null for a title in a gap. */
async function titles(id: string, query: Readonly<Record<string, string>> = {}): Promise<readonly unknown[]> {
  const { segments } = await people.timeline(id, query);
  return segments.map(({ effective_from, effective_to, job_title }) => [effective_from, effective_to, job_title]);
}

describe('an end that is taken back', () => {
  it('leaves the person active, with what was believed before; the moment before answers as it did', async () => {
    const { id } = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
    await people.end(id, '2026-07-31');
    const end = await lastFact(id);
    const instant = { known_at: end.recorded_at };
    const before = await people.timeline(id, instant);
    const answer = await withdraw(id, end.fact_id);
    expect(dataOf(201, answer)).toMatchObject({
      action: 'correction',
      withdraws: true,
      effective_from: '2026-07-31',
      correction_reason: REASON,
      corrects: end.fact_id,
      corrected_by: null,
      timeline_version: 3,
    });
    expect(tagOf(answer)).toBe(await people.employmentTag(id));
    expect(await people.person(id)).toMatchObject({ status: 'active', start_date: '2024-01-01', end_date: null });
    expect(await titles(id)).toEqual([['2024-01-01', null, 'Engineer']]);
    expect(await people.timeline(id, instant)).toEqual(before);
    const facts = await people.facts(id);
    expect(facts[1]).toMatchObject({ action: 'end', corrected_by: facts[2]!.fact_id });
    expect(facts[1]).not.toHaveProperty('withdraws');
    const { changes } = await people.timeline(id, { compare_known_at: end.recorded_at });
    expect(changes).toContainEqual(
      expect.objectContaining({
        effective_from: '2026-08-01',
        field: 'employed',
        before: false,
        after: true,
        fact_id: facts[2]!.fact_id,
      }),
    );
    // The employment goes on: it can be changed and ended again.
    await people.change(id, { start_date: '2026-09-01', job_title: 'Lead' });
    expect(await people.end(id, '2026-12-31')).toMatchObject({ status: 'ended', end_date: '2026-12-31' });
  });
});

describe('the request', () => {
  it('names the fact and the reason, and nothing else (400)', async () => {
    const { id } = await people.create({ start_date: '2024-01-01' });
    await people.end(id, '2026-07-31');
    const { fact_id } = await lastFact(id);
    expectError(await withdraw(id, fact_id, { start_date: '2026-07-01' }), 400, 'invalid_request', 'start_date');
    expectError(await withdraw(id, fact_id, { job_title: null }), 400, 'invalid_request', 'job_title');
    expectError(
      await withdraw(id, fact_id, { correction_reason: undefined }),
      400,
      'invalid_request',
      'correction_reason',
    );
    expectError(await withdraw(id, fact_id, { corrects: undefined }), 400, 'invalid_request', 'corrects');
    expectError(await withdraw(id, fact_id, { withdraw: false }), 400, 'invalid_request', 'start_date');
    expectError(await withdraw(id, fact_id, { withdraw: 'yes' }), 400, 'invalid_request', 'withdraw');
    expect((await people.person(id)).status).toBe('ended');
  });

  it('takes back a fact once, however many ask for it at the same time', async () => {
    const { id } = await people.create({ start_date: '2024-01-01' });
    await people.end(id, '2026-07-31');
    const { fact_id } = await lastFact(id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => withdraw(id, fact_id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await people.facts(id)).toHaveLength(3);
  });
});
