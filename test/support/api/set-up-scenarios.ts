import { randomInt, randomUUID } from 'node:crypto';
import { PATTERN, type ScenarioSetting, type WriteScenario } from './scenario-setting.js';
import { newEmail } from './people.js';
import { newEndpoint } from './webhooks.js';

const step = (userId: string, action: string) => ({ method: 'POST', path: `/users/${userId}/${action}` });

/** Writes to the set-up of an organisation: units, patterns, categories, settings, webhooks. */
export const SET_UP_SCENARIOS: Readonly<Record<string, (at: ScenarioSetting) => Promise<WriteScenario>>> = {
  'POST /api-keys': async () => {
    const create = (name: string) => ({ method: 'POST', path: '/api-keys', body: { name, scopes: ['people:read'] } });
    return { request: create('A'), other: create('B') };
  },
  'POST /api-keys/{keyId}/revoke': async (at) => {
    const [one, two] = [await at.makers.key_(), await at.makers.key_()];
    const revoke = (id: string) => ({ method: 'POST', path: `/api-keys/${id}/revoke` });
    return { request: revoke(one), elsewhere: revoke(two) };
  },
  'POST /users': async () => {
    const email = newEmail();
    const invite = (address: string, role: string) => ({
      method: 'POST',
      path: '/users',
      body: { email: address, role },
    });
    // The id of a user derives from the address, so that another address is another user.
    return { request: invite(email, 'hr'), other: invite(email, 'viewer'), elsewhere: invite(newEmail(), 'hr') };
  },
  'PATCH /users/{userId}': async (at) => {
    const [one, two] = [await at.user(), await at.user()];
    const change = (id: string, role: string) => ({ method: 'PATCH', path: `/users/${id}`, body: { role } });
    return {
      request: change(one, 'hr'),
      moveOn: () => at.send('PATCH', `/users/${one}`, { role: 'auditor' }),
      other: change(one, 'integrator'),
      elsewhere: change(two, 'hr'),
    };
  },
  'POST /users/{userId}/deactivate': async (at) => {
    const [one, two] = [await at.user(), await at.user()];
    return {
      request: step(one, 'deactivate'),
      moveOn: () => at.send('POST', `/users/${one}/reactivate`),
      other: step(one, 'reactivate'),
      elsewhere: step(two, 'deactivate'),
    };
  },
  'POST /users/{userId}/reactivate': async (at) => {
    const [one, two] = [await at.user(), await at.user()];
    for (const id of [one, two]) await at.send('POST', `/users/${id}/deactivate`);
    return {
      request: step(one, 'reactivate'),
      moveOn: () => at.send('POST', `/users/${one}/deactivate`),
      other: step(one, 'deactivate'),
      elsewhere: step(two, 'reactivate'),
    };
  },
  'POST /users/{userId}/sign-in-link': async (at) => {
    const [one, two] = [await at.user(), await at.user()];
    return {
      request: step(one, 'sign-in-link'),
      moveOn: () => at.send('POST', `/users/${one}/deactivate`),
      other: step(one, 'deactivate'),
      elsewhere: step(two, 'sign-in-link'),
    };
  },
  'POST /org-units': async () => {
    const create = (name: string) => ({ method: 'POST', path: '/org-units', body: { name } });
    return { request: create(randomUUID()), other: create(randomUUID()) };
  },
  'PATCH /org-units/{orgUnitId}': async (at) => {
    const [one, two] = [await at.unit(), await at.unit()];
    const change = (id: string, code: string) => ({ method: 'PATCH', path: `/org-units/${id}`, body: { code } });
    return {
      request: change(one, 'A'),
      moveOn: () => at.send('PATCH', `/org-units/${one}`, { code: 'B' }),
      other: { method: 'POST', path: `/org-units/${one}/archive` },
      elsewhere: change(two, 'A'),
    };
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
    const change = (id: string, label: string) => ({
      method: 'PATCH',
      path: `/working-patterns/${id}`,
      body: { label },
    });
    return {
      request: change(one, 'A'),
      moveOn: () => at.send('PATCH', `/working-patterns/${one}`, { label: 'B' }),
      other: { method: 'POST', path: `/working-patterns/${one}/archive` },
      elsewhere: change(two, 'A'),
    };
  },
  'POST /working-patterns/{workingPatternId}/archive': async (at) => {
    const [one, two] = [await at.pattern(), await at.pattern()];
    const archive = (id: string) => ({ method: 'POST', path: `/working-patterns/${id}/archive` });
    return {
      request: archive(one),
      other: { method: 'PATCH', path: `/working-patterns/${one}`, body: { label: 'B' } },
      elsewhere: archive(two),
    };
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
    const change = (id: string, colour: string) => ({
      method: 'PATCH',
      path: `/time-off/categories/${id}`,
      body: { colour },
    });
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
    return {
      request: archive(one),
      other: { method: 'PATCH', path: `/time-off/categories/${one}`, body: { colour: '#000000' } },
      elsewhere: archive(two),
    };
  },
  'PATCH /time-off/settings': async (at) => {
    const change = (carry_over_max_minutes: number) => ({
      method: 'PATCH',
      path: '/time-off/settings',
      body: { carry_over_max_minutes },
    });
    return {
      request: change(60),
      moveOn: () => at.send('PATCH', '/time-off/settings', change(120).body),
      other: change(180),
    };
  },
  'POST /public-holidays': async (at) => {
    const day = `${randomInt(2028, 2099)}-0${randomInt(1, 10)}-1${randomInt(0, 10)}`;
    const say = (change: string, named: object = {}) => ({
      method: 'POST',
      path: '/public-holidays',
      body: { change, date: day, ...named },
    });
    const moveOn = () => at.send('POST', '/public-holidays', say('restore').body);
    return { request: say('add', { name: 'Closed' }), moveOn, other: say('add', { name: 'Open day' }) };
  },
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
    return {
      request: change(one.id, moved),
      moveOn,
      other: change(one.id, { name: 'Other' }),
      elsewhere: change(two.id, moved),
    };
  },
  'DELETE /webhooks/{webhookId}': async (at) => {
    const [one, two] = [await at.webhooks.create(), await at.webhooks.create()];
    const remove = (id: string) => ({ method: 'DELETE', path: `/webhooks/${id}` });
    return {
      request: remove(one.id),
      other: { method: 'POST', path: `/webhooks/${one.id}/rotate-secret` },
      elsewhere: remove(two.id),
    };
  },
  'POST /webhooks/{webhookId}/rotate-secret': async (at) => {
    const [one, two] = [await at.webhooks.create(), await at.webhooks.create()];
    const rotate = (id: string) => ({ method: 'POST', path: `/webhooks/${id}/rotate-secret` });
    return {
      request: rotate(one.id),
      moveOn: () => at.send('POST', rotate(one.id).path),
      other: { method: 'PATCH', path: `/webhooks/${one.id}`, body: { name: 'Other' } },
      elsewhere: rotate(two.id),
    };
  },
};
