import { randomUUID } from 'node:crypto';
import { tagOf } from './http-client.js';
import { newEmail } from './people.js';
import { AUGUST, type ScenarioSetting, type WriteScenario } from './scenario-setting.js';
import { SET_UP_SCENARIOS } from './set-up-scenarios.js';

/** Writes of people and of their time off. */
const PEOPLE_SCENARIOS: Readonly<Record<string, (at: ScenarioSetting) => Promise<WriteScenario>>> = {
  'POST /write-proposals/{writeProposalId}/cancel': async (at) => {
    const [one, two] = [await at.proposal(at.organisation.apiKey), await at.proposal(at.organisation.apiKey)];
    const step = (id: string, action: string) => ({ method: 'POST', path: `/write-proposals/${id}/${action}` });
    return { request: step(one, 'cancel'), other: step(one, 'reject'), elsewhere: step(two, 'cancel') };
  },
  'POST /people': async (at) => {
    const body = { work_email: newEmail(), first_name: 'Ada' };
    const taken = async (): Promise<void> => {
      const { data } = (
        await at.client.get<readonly { id: string; work_email: string }[]>('/people', {
          sort: 'updated_at_desc',
          limit: 200,
        })
      ).json;
      await at.people.identity(data.find(({ work_email }) => work_email === body.work_email)!.id, {
        work_email: newEmail(),
      });
      await at.people.create({ work_email: body.work_email });
    };
    return {
      request: { method: 'POST', path: '/people', body },
      moveOn: taken,
      other: { method: 'POST', path: '/people', body: { work_email: newEmail() } },
    };
  },
  'PATCH /people/{personId}': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const patch = (person: typeof one, body: object) => ({
      method: 'PATCH',
      path: `/people/${person.id}`,
      body,
      ifMatch: person.person,
    });
    return {
      request: patch(one, { first_name: 'Ada' }),
      moveOn: () => at.people.identity(one.id, { first_name: 'Grace', work_email: newEmail() }),
      other: patch(one, { first_name: 'Emmy' }),
      elsewhere: patch(two, { first_name: 'Ada' }),
    };
  },
  'POST /people/{personId}/end': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const end = (person: typeof one, end_date: string) => ({
      method: 'POST',
      path: `/people/${person.id}/end`,
      body: { end_date },
      ifMatch: person.person,
    });
    return {
      request: end(one, '2026-05-31'),
      moveOn: () => at.people.reactivate(one.id, { start_date: '2026-06-10' }),
      other: end(one, '2026-05-30'),
      elsewhere: end(two, '2026-05-31'),
    };
  },
  'POST /people/{personId}/reactivate': async (at) => {
    const ended = async () => {
      const { id } = await at.employed();
      await at.people.end(id, '2026-05-31');
      return { id, tag: await at.people.personTag(id) };
    };
    const [one, two] = [await ended(), await ended()];
    const back = (person: typeof one, start_date: string) => ({
      method: 'POST',
      path: `/people/${person.id}/reactivate`,
      body: { start_date },
      ifMatch: person.tag,
    });
    return {
      request: back(one, '2026-06-10'),
      moveOn: () => at.people.end(one.id, '2026-06-12'),
      other: back(one, '2026-06-11'),
      elsewhere: back(two, '2026-06-10'),
    };
  },
  'PATCH /people/{personId}/employment': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const change = (person: typeof one, job_title: string) => ({
      method: 'PATCH',
      path: `/people/${person.id}/employment`,
      body: { start_date: '2026-01-01', job_title },
      ifMatch: person.employment,
    });
    return {
      request: change(one, 'Engineer'),
      moveOn: () => at.people.change(one.id, { start_date: '2026-02-01', job_title: 'Analyst' }),
      other: change(one, 'Writer'),
      elsewhere: change(two, 'Engineer'),
    };
  },
  'POST /people/{personId}/employment-history': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const correct = (id: string, job_title: string) => ({
      method: 'POST',
      path: `/people/${id}/employment-history`,
      body: { start_date: '2025-01-01', job_title, correction_reason: 'Wrong' },
    });
    return {
      request: correct(one.id, 'Engineer'),
      moveOn: () => at.people.correct(one.id, { start_date: '2025-03-01', job_title: 'Analyst' }),
      other: correct(one.id, 'Writer'),
      elsewhere: correct(two.id, 'Engineer'),
    };
  },
  'PATCH /people/{personId}/custom-fields': async (at) => {
    const { id: field_id } = await at.fields.define(`field_${randomUUID().slice(0, 8)}`);
    const person = async () => {
      const { id } = await at.employed();
      return { id, tag: tagOf(await at.fields.read(id)) };
    };
    const [one, two] = [await person(), await person()];
    const set = ({ id, tag }: typeof one, value: string) => ({
      method: 'PATCH',
      path: `/people/${id}/custom-fields`,
      body: { values: [{ field_id, value }] },
      ifMatch: tag,
    });
    return {
      request: set(one, 'a'),
      moveOn: () => at.fields.write(one.id, [{ field_id, value: 'b' }]),
      other: set(one, 'c'),
      elsewhere: set(two, 'a'),
    };
  },
  'POST /people/{personId}/time-off-balance/adjustments': async (at) => {
    const [one, two, category_id] = [await at.employed(), await at.employed(), await at.timeOff.category()];
    const adjust = (id: string, amount_minutes: number) => ({
      method: 'POST',
      path: `/people/${id}/time-off-balance/adjustments`,
      body: { category_id, amount_minutes, effective_date: '2026-01-01', reason_code: 'grant' },
    });
    return {
      request: adjust(one.id, 450),
      moveOn: () => at.send('POST', adjust(one.id, 1).path, adjust(one.id, 1).body),
      other: adjust(one.id, 900),
      elsewhere: adjust(two.id, 450),
    };
  },
  'POST /time-off': async (at) => {
    const [one, two, category_id] = [await at.employed(), await at.employed(), await at.timeOff.category()];
    const ask = (person_id: string, dates: object) => ({
      method: 'POST',
      path: '/time-off',
      body: { person_id, category_id, ...dates },
    });
    const moveOn = async (): Promise<void> => {
      const [made] = await at.timeOff.list({ person_id: one.id });
      await at.timeOff.do(made!.id, 'cancel');
      await at.timeOff.create(ask(one.id, AUGUST).body);
    };
    return {
      request: ask(one.id, AUGUST),
      moveOn,
      other: ask(one.id, { start_date: '2026-09-07', end_date: '2026-09-08' }),
      elsewhere: ask(two.id, AUGUST),
    };
  },
  'PATCH /time-off/{timeOffId}': async (at) => {
    const [one, two] = [await at.record(), await at.record()];
    const change = (id: string, end_date: string) => ({ method: 'PATCH', path: `/time-off/${id}`, body: { end_date } });
    return {
      request: change(one, '2026-08-05'),
      moveOn: () => at.timeOff.do(one, 'cancel'),
      other: { method: 'POST', path: `/time-off/${one}/approve` },
      elsewhere: change(two, '2026-08-05'),
    };
  },
  ...Object.fromEntries(
    (['approve', 'reject', 'cancel'] as const).map((step) => [
      `POST /time-off/{timeOffId}/${step}`,
      async (at: ScenarioSetting): Promise<WriteScenario> => {
        const [one, two] = [await at.record(), await at.record()];
        const take = (id: string, which: string) => ({ method: 'POST', path: `/time-off/${id}/${which}` });
        const further = step === 'approve' ? { moveOn: () => at.timeOff.do(one, 'cancel') } : {};
        return {
          request: take(one, step),
          ...further,
          other: take(one, step === 'cancel' ? 'approve' : 'cancel'),
          elsewhere: take(two, step),
        };
      },
    ]),
  ),
};

/** The scenarios of writes that need more than a body of their class, by their operation. */
export const WRITE_SCENARIOS = {
  ...PEOPLE_SCENARIOS,
  ...SET_UP_SCENARIOS,
  // Its answer shows what is mapped now, for every kind of file.
  'PATCH /import-columns': () => {
    const mapping = (header: string): WriteScenario['request'] => ({
      method: 'PATCH',
      path: '/import-columns',
      body: { kind: 'people', mapping: [{ header, column: 'job_title' }] },
    });
    return Promise.resolve({ request: mapping('Titel'), other: mapping('Stelle') });
  },
};

/** Writes that record no event. */
export const WRITES_WITHOUT_EVENTS: readonly string[] = [
  'DELETE /users/{userId}/sessions',
  'POST /imports',
  'POST /imports/{importId}/run',
  'POST /imports/{importId}/cancel',
  'POST /audit/verification',
  'POST /webhooks/{webhookId}/test',
  'POST /webhooks/{webhookId}/resend',
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
];
