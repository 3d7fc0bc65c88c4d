import { randomUUID } from 'node:crypto';
import { TimeOffActions } from './time-off.js';
import { PeopleActions } from './people.js';
import type { TestApi, TestOrganisation } from './test-api.js';

/** The arguments of one call of a tool. */
export type DesiredValue = Readonly<Record<string, unknown>>;

/**
 * Makes by the name of each tool that proposes a call that its operation accepts, about people whom nothing
 * else concerns.
 */
export function desiredValuesOf(
  api: TestApi,
  of: TestOrganisation,
): Readonly<Record<string, () => Promise<DesiredValue>>> {
  const [people, timeOff] = [new PeopleActions(of), new TimeOffActions(api, of)];
  const somebody = async (): Promise<string> =>
    (await people.create({ start_date: '2024-01-01', job_title: 'Engineer' })).id;
  const asked = async (): Promise<DesiredValue> => {
    const [person_id, category_id] = [await somebody(), await timeOff.category({ requires_approval: true })];
    return { person_id, category_id, start_date: '2026-08-03', end_date: '2026-08-07' };
  };
  const pending = async (): Promise<DesiredValue> => ({ time_off_id: (await timeOff.create(await asked())).id });
  return {
    hire: () =>
      Promise.resolve({ work_email: `${randomUUID()}@example.com`, first_name: 'Grace', start_date: '2024-01-01' }),
    change_identity: async () => ({ person_id: await somebody(), last_name: randomUUID() }),
    end_employment: async () => ({ person_id: await somebody(), end_date: '2025-12-31' }),
    rehire: async () => {
      const person_id = await somebody();
      await people.end(person_id, '2025-12-31');
      return { person_id, start_date: '2026-06-01' };
    },
    change_terms: async () => ({ person_id: await somebody(), start_date: '2025-01-01', job_title: 'Lead' }),
    correct_history: async () => ({
      person_id: await somebody(),
      start_date: '2024-01-01',
      job_title: 'Officer',
      correction_reason: 'Typed wrong.',
    }),
    request_time_off: asked,
    approve_time_off: pending,
    reject_time_off: pending,
  };
}
