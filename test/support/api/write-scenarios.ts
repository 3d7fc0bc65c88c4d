import { randomUUID } from 'node:crypto';
import { CustomFieldActions } from './custom-fields.js';
import { type ApiAnswer, type ApiClient, tagOf } from './http-client.js';
import { dataOf, newEmail, PeopleActions } from './people.js';
import type { TestApi, TestOrganisation } from './test-api.js';
import { TimeOffActions } from './time-off.js';
import { newEndpoint, WebhookActions } from './webhooks.js';

/** A write. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
}

/** A write that succeeds, and others that might come under its idempotency key. */
export interface WriteScenario {
  readonly request: Request;
  /** What happens to the resource after it. */
  readonly moveOn?: () => Promise<unknown>;
  /** Another request about the same resource: with another body, or another action where there is none. */
  readonly other: Request;
  /** The same about another resource; absent where the request names none. */
  readonly elsewhere?: Request;
}

/** What scenarios are made with. */
export class ScenarioSetting {
  readonly people: PeopleActions;
  readonly timeOff: TimeOffActions;
  readonly webhooks: WebhookActions;
  readonly fields: CustomFieldActions;

  constructor(
    readonly api: TestApi,
    readonly organisation: TestOrganisation,
  ) {
    this.people = new PeopleActions(organisation.client);
    this.timeOff = new TimeOffActions(api, organisation);
    this.webhooks = new WebhookActions(organisation.client);
    this.fields = new CustomFieldActions(api, organisation);
  }

  get client(): ApiClient {
    return this.organisation.client;
  }

  async idOf(answer: Promise<ApiAnswer>): Promise<string> {
    return dataOf(201, (await answer) as ApiAnswer<{ readonly id: string }>).id;
  }

  unit = (): Promise<string> => this.idOf(this.client.post('/org-units', { name: randomUUID() }));
  pattern = (): Promise<string> => this.idOf(this.client.post('/working-patterns', { ...PATTERN, label: randomUUID() }));
  category = (): Promise<string> => this.idOf(this.client.post('/time-off/categories', { label: randomUUID() }));

  /** Somebody who is employed, with a tag of their person and one of their employment. */
  async employed(): Promise<{ readonly id: string; readonly person: string; readonly employment: string }> {
    const { id } = await this.people.create({ start_date: '2024-01-01', working_pattern_id: this.organisation.references.working_pattern_id });
    return { id, person: await this.people.personTag(id), employment: await this.people.employmentTag(id) };
  }

  async record(personId?: string): Promise<string> {
    const wanted = { person_id: personId ?? (await this.employed()).id, category_id: await this.timeOff.category(), ...AUGUST };
    return (await this.timeOff.create(wanted)).id;
  }

  async send(method: string, path: string, body?: object, ifMatch?: string): Promise<void> {
    const { status, text } = await this.client.send(method, path, { body, ifMatch });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }
}

const AUGUST = { start_date: '2026-08-03', end_date: '2026-08-07' };
const PATTERN = { cycle_weeks: 1, anchor_date: '2024-01-01', days: [{ week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 }] };

/** A write that records an event, by its operation. */
export const WRITE_SCENARIOS: Readonly<Record<string, (at: ScenarioSetting) => Promise<WriteScenario>>> = {
  'POST /people': async (at) => {
    const body = { work_email: newEmail(), first_name: 'Ada' };
    const taken = async (): Promise<void> => {
      const { data } = (await at.client.get<readonly { id: string; work_email: string }[]>('/people', { sort: 'updated_at_desc', limit: 200 })).json;
      await at.people.identity(data.find(({ work_email }) => work_email === body.work_email)!.id, { work_email: newEmail() });
      await at.people.create({ work_email: body.work_email });
    };
    return { request: { method: 'POST', path: '/people', body }, moveOn: taken, other: { method: 'POST', path: '/people', body: { work_email: newEmail() } } };
  },
  'PATCH /people/{personId}': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const patch = (person: typeof one, body: object) => ({ method: 'PATCH', path: `/people/${person.id}`, body, ifMatch: person.person });
    return {
      request: patch(one, { first_name: 'Ada' }),
      moveOn: () => at.people.identity(one.id, { first_name: 'Grace', work_email: newEmail() }),
      other: patch(one, { first_name: 'Emmy' }),
      elsewhere: patch(two, { first_name: 'Ada' }),
    };
  },
  'POST /people/{personId}/end': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const end = (person: typeof one, end_date: string) => ({ method: 'POST', path: `/people/${person.id}/end`, body: { end_date }, ifMatch: person.person });
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
    const back = (person: typeof one, start_date: string) => ({ method: 'POST', path: `/people/${person.id}/reactivate`, body: { start_date }, ifMatch: person.tag });
    return { request: back(one, '2026-06-10'), moveOn: () => at.people.end(one.id, '2026-06-12'), other: back(one, '2026-06-11'), elsewhere: back(two, '2026-06-10') };
  },
  'PATCH /people/{personId}/employment': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const change = (person: typeof one, job_title: string) => ({ method: 'PATCH', path: `/people/${person.id}/employment`, body: { start_date: '2026-01-01', job_title }, ifMatch: person.employment });
    return {
      request: change(one, 'Engineer'),
      moveOn: () => at.people.change(one.id, { start_date: '2026-02-01', job_title: 'Analyst' }),
      other: change(one, 'Writer'),
      elsewhere: change(two, 'Engineer'),
    };
  },
  'POST /people/{personId}/employment-history': async (at) => {
    const [one, two] = [await at.employed(), await at.employed()];
    const correct = (id: string, job_title: string) => ({ method: 'POST', path: `/people/${id}/employment-history`, body: { start_date: '2025-01-01', job_title, correction_reason: 'Wrong' } });
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
    const set = ({ id, tag }: typeof one, value: string) => ({ method: 'PATCH', path: `/people/${id}/custom-fields`, body: { values: [{ field_id, value }] }, ifMatch: tag });
    return { request: set(one, 'a'), moveOn: () => at.fields.write(one.id, [{ field_id, value: 'b' }]), other: set(one, 'c'), elsewhere: set(two, 'a') };
  },
  'POST /people/{personId}/time-off-balance/adjustments': async (at) => {
    const [one, two, category_id] = [await at.employed(), await at.employed(), await at.timeOff.category()];
    const adjust = (id: string, amount_minutes: number) => ({
      method: 'POST',
      path: `/people/${id}/time-off-balance/adjustments`,
      body: { category_id, amount_minutes, effective_date: '2026-01-01', reason_code: 'grant' },
    });
    return { request: adjust(one.id, 450), moveOn: () => at.send('POST', adjust(one.id, 1).path, adjust(one.id, 1).body), other: adjust(one.id, 900), elsewhere: adjust(two.id, 450) };
  },
  'POST /org-units': async () => {
    const create = (name: string) => ({ method: 'POST', path: '/org-units', body: { name } });
    return { request: create(randomUUID()), other: create(randomUUID()) };
  },
  'PATCH /org-units/{orgUnitId}': async (at) => {
    const [one, two] = [await at.unit(), await at.unit()];
    const change = (id: string, code: string) => ({ method: 'PATCH', path: `/org-units/${id}`, body: { code } });
    return { request: change(one, 'A'), moveOn: () => at.send('PATCH', `/org-units/${one}`, { code: 'B' }), other: { method: 'POST', path: `/org-units/${one}/archive` }, elsewhere: change(two, 'A') };
  },
  'POST /org-units/{orgUnitId}/archive': async (at) => {
    const [one, two] = [await at.unit(), await at.unit()];
    const archive = (id: string) => ({ method: 'POST', path: `/org-units/${id}/archive` });
    return {
      request: archive(one),
      moveOn: () => at.send('POST', `/org-units/${one}/reactivate`),
      other: { method: 'PATCH', path: `/org-units/${one}`, body: { code: 'B' } },
      elsewhere: archive(two),
    };
  },
  'POST /org-units/{orgUnitId}/reactivate': async (at) => {
    const [one, two] = [await at.unit(), await at.unit()];
    for (const id of [one, two]) await at.send('POST', `/org-units/${id}/archive`);
    const reactivate = (id: string) => ({ method: 'POST', path: `/org-units/${id}/reactivate` });
    return {
      request: reactivate(one),
      moveOn: () => at.send('POST', `/org-units/${one}/archive`),
      other: { method: 'POST', path: `/org-units/${one}/archive` },
      elsewhere: reactivate(two),
    };
  },
  'POST /working-patterns': async () => {
    const create = (label: string) => ({ method: 'POST', path: '/working-patterns', body: { ...PATTERN, label } });
    return { request: create(randomUUID()), other: create(randomUUID()) };
  },
  'PATCH /working-patterns/{workingPatternId}': async (at) => {
    const [one, two] = [await at.pattern(), await at.pattern()];
    const change = (id: string, label: string) => ({ method: 'PATCH', path: `/working-patterns/${id}`, body: { label } });
    return { request: change(one, 'A'), moveOn: () => at.send('PATCH', `/working-patterns/${one}`, { label: 'B' }), other: { method: 'POST', path: `/working-patterns/${one}/archive` }, elsewhere: change(two, 'A') };
  },
  'POST /working-patterns/{workingPatternId}/archive': async (at) => {
    const [one, two] = [await at.pattern(), await at.pattern()];
    const archive = (id: string) => ({ method: 'POST', path: `/working-patterns/${id}/archive` });
    return { request: archive(one), other: { method: 'PATCH', path: `/working-patterns/${one}`, body: { label: 'B' } }, elsewhere: archive(two) };
  },
  'POST /time-off/categories': async (at) => {
    const create = (label: string) => ({ method: 'POST', path: '/time-off/categories', body: { label } });
    const label = randomUUID();
    const taken = async (): Promise<void> => {
      const all = await at.people.all<{ id: string; label: string }>('/time-off/categories', { limit: 200 });
      await at.send('POST', `/time-off/categories/${all.find((one) => one.label === label)!.id}/archive`);
      await at.send('POST', '/time-off/categories', { label });
    };
    return { request: create(label), moveOn: taken, other: create(randomUUID()) };
  },
  'PATCH /time-off/categories/{categoryId}': async (at) => {
    const [one, two] = [await at.category(), await at.category()];
    const change = (id: string, colour: string) => ({ method: 'PATCH', path: `/time-off/categories/${id}`, body: { colour } });
    return {
      request: change(one, '#aabbcc'),
      moveOn: () => at.send('PATCH', `/time-off/categories/${one}`, { colour: '#000000' }),
      other: { method: 'POST', path: `/time-off/categories/${one}/archive` },
      elsewhere: change(two, '#aabbcc'),
    };
  },
  'POST /time-off/categories/{categoryId}/archive': async (at) => {
    const [one, two] = [await at.category(), await at.category()];
    const archive = (id: string) => ({ method: 'POST', path: `/time-off/categories/${id}/archive` });
    return { request: archive(one), other: { method: 'PATCH', path: `/time-off/categories/${one}`, body: { colour: '#000000' } }, elsewhere: archive(two) };
  },
  'PATCH /time-off/settings': async (at) => {
    const change = (carry_over_max_minutes: number) => ({ method: 'PATCH', path: '/time-off/settings', body: { carry_over_max_minutes } });
    return { request: change(60), moveOn: () => at.send('PATCH', '/time-off/settings', change(120).body), other: change(180) };
  },
  'POST /time-off': async (at) => {
    const [one, two, category_id] = [await at.employed(), await at.employed(), await at.timeOff.category()];
    const ask = (person_id: string, dates: object) => ({ method: 'POST', path: '/time-off', body: { person_id, category_id, ...dates } });
    const moveOn = async (): Promise<void> => {
      const [made] = await at.timeOff.list({ person_id: one.id });
      await at.timeOff.do(made!.id, 'cancel');
      await at.timeOff.create(ask(one.id, AUGUST).body);
    };
    return { request: ask(one.id, AUGUST), moveOn, other: ask(one.id, { start_date: '2026-09-07', end_date: '2026-09-08' }), elsewhere: ask(two.id, AUGUST) };
  },
  'PATCH /time-off/{timeOffId}': async (at) => {
    const [one, two] = [await at.record(), await at.record()];
    const change = (id: string, end_date: string) => ({ method: 'PATCH', path: `/time-off/${id}`, body: { end_date } });
    return { request: change(one, '2026-08-05'), moveOn: () => at.timeOff.do(one, 'cancel'), other: { method: 'POST', path: `/time-off/${one}/approve` }, elsewhere: change(two, '2026-08-05') };
  },
  ...Object.fromEntries(
    (['approve', 'reject', 'cancel'] as const).map((step) => [
      `POST /time-off/{timeOffId}/${step}`,
      async (at: ScenarioSetting): Promise<WriteScenario> => {
        const [one, two] = [await at.record(), await at.record()];
        const take = (id: string, which: string) => ({ method: 'POST', path: `/time-off/${id}/${which}` });
        const further = step === 'approve' ? { moveOn: () => at.timeOff.do(one, 'cancel') } : {};
        return { request: take(one, step), ...further, other: take(one, step === 'cancel' ? 'approve' : 'cancel'), elsewhere: take(two, step) };
      },
    ]),
  ),
  'POST /webhooks': async (at) => {
    const create = (name: string) => ({ method: 'POST', path: '/webhooks', body: newEndpoint({ name }) });
    const name = randomUUID();
    const moveOn = async (): Promise<void> => {
      const all = await at.people.all<{ id: string; name: string }>('/webhooks', { limit: 200 });
      await at.send('DELETE', `/webhooks/${all.find((one) => one.name === name)!.id}`);
    };
    return { request: create(name), moveOn, other: create(randomUUID()) };
  },
  'PATCH /webhooks/{webhookId}': async (at) => {
    const [one, two] = [await at.webhooks.create(), await at.webhooks.create()];
    const change = (id: string, body: object) => ({ method: 'PATCH', path: `/webhooks/${id}`, body });
    const moved = { url: 'https://moved.example.com/hooks' };
    const moveOn = async (): Promise<void> => {
      await at.webhooks.change(one.id, { url: 'https://elsewhere.example.com/' });
      await at.send('DELETE', `/webhooks/${one.id}`);
    };
    return { request: change(one.id, moved), moveOn, other: change(one.id, { name: 'Other' }), elsewhere: change(two.id, moved) };
  },
  'DELETE /webhooks/{webhookId}': async (at) => {
    const [one, two] = [await at.webhooks.create(), await at.webhooks.create()];
    const remove = (id: string) => ({ method: 'DELETE', path: `/webhooks/${id}` });
    return { request: remove(one.id), other: { method: 'POST', path: `/webhooks/${one.id}/rotate-secret` }, elsewhere: remove(two.id) };
  },
  'POST /webhooks/{webhookId}/rotate-secret': async (at) => {
    const [one, two] = [await at.webhooks.create(), await at.webhooks.create()];
    const rotate = (id: string) => ({ method: 'POST', path: `/webhooks/${id}/rotate-secret` });
    return { request: rotate(one.id), moveOn: () => at.send('POST', rotate(one.id).path), other: { method: 'PATCH', path: `/webhooks/${one.id}`, body: { name: 'Other' } }, elsewhere: rotate(two.id) };
  },
};
