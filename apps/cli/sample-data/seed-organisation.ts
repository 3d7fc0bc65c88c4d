import type { Pool } from 'pg';
import { InviteUserAsOperator } from '#access/user/operate-users.js';
import { NoteSignIn } from '#access/user/sign-in.js';
import type { Actor } from '#event-store/event-store.js';
import { RecordEffectiveDates } from '#people/timeline/record-effective-dates.js';
import { ChangeOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import type { SettingIds } from '#composition/set-up.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { addDays, dateIn } from '#kernel/dates.js';
import { calendarFrom, type Calendar, instantOn, withDays } from './calendar.js';
import { DEMO } from './data-files.js';
import { type DemoPeopleSettings, generateDemoPeople } from './demo-people.js';
import type { SamplePerson } from './person-data.js';
import { personIdsOf, personSteps } from './person-steps.js';
import { atMoment } from './recorded-at.js';
import { idOf, limitOverdrafts, seedHeads, seedMappings, seedSettings } from './seed-settings.js';
import { demoContexts, type Seeding } from './seeding.js';
import { type StepContext, type Step, runSteps } from './steps.js';

/** The creation time of an organisation that begins on this day: ISO 8601 in UTC. */
export function createdAtOf(firstDay: string): string {
  return `${firstDay}T08:00:00.000Z`;
}

/** The context of a step of the organisation at an instant, ISO 8601 in UTC. */
export function stepContextAt(instant: string, seeding: Seeding, { id, time_zone }: OrganisationRow): StepContext {
  return {
    ...seeding,
    send: (command) => atMoment(instant, () => seeding.send(command)),
    contextOf: demoContexts(id, dateIn(time_zone, new Date(instant))),
  };
}

/**
 * Fills an organisation with settings, people, and five years of history, with recorded times of those years.
 * Safe to repeat, also on a later day: all days derive from the day on which the organisation was created.
 */
export async function seedOrganisation(
  seeding: Seeding,
  organisation: OrganisationRow,
  peopleSettings: DemoPeopleSettings,
  furtherSteps: (calendar: Calendar) => readonly Step[] = () => [],
): Promise<void> {
  const calendar = calendarFrom(dateIn(organisation.time_zone, organisation.created_at));
  const contextAt = (instant: string): StepContext => stepContextAt(instant, seeding, organisation);
  const people = generateDemoPeople(peopleSettings, calendar);
  const start = contextAt(instantOn(calendar, calendar.firstDay, -30));
  const settings = await seedSettings(start);
  const personIds = personIdsOf(seeding.mint, start.contextOf, people);
  const users = await inviteUsers(start, people);
  const [headOfPeople] = [...users.values()];
  const lives = people.flatMap((person, number) => {
    const approver = users.get(person.job!.manager) ?? headOfPeople!;
    return personSteps({ person, number, personIds, settings, calendar, approver });
  });
  const others = [...organisationSteps(calendar, settings, personIds), ...furtherSteps(calendar)];
  await runSteps([...lives, ...others, ...effectSteps(lives, calendar, organisation.id)], contextAt);
}

/** Invites the users of the console, and returns them by their position among the people. */
async function inviteUsers(
  { send, contextOf }: StepContext,
  people: readonly SamplePerson[],
): Promise<ReadonlyMap<number | null, Actor>> {
  const users = new Map<number | null, Actor>();
  for (const { person, role } of DEMO.users) {
    const email = people[person - 1]!.identity.work_email;
    const { row } = await send(new InviteUserAsOperator(contextOf('user', email), { email, role }));
    const user = { type: 'user', id: row.id } as const;
    await send(new NoteSignIn({ ...contextOf('sign-in', email), actor: user }, row.id));
    users.set(person, user);
  }
  return users;
}

/**
 * The steps of the organisation: heads of units, a renamed department, mappings, and finally a limit of
 * overdrafts.
 */
function organisationSteps(calendar: Calendar, settings: SettingIds, personIds: readonly string[]): readonly Step[] {
  const step = (on: string, minute: number, run: Step['run']): Step => ({
    at: instantOn(calendar, on, minute),
    who: null,
    run,
  });
  const { renamedUnit } = withDays(DEMO, calendar);
  return [
    step(calendar.firstDay, 470, (stepContext) => seedHeads(stepContext, settings, DEMO.heads, personIds)),
    step(renamedUnit.on, 60, async ({ send, contextOf }) => {
      const { unit, name } = renamedUnit;
      const change = { type: 'change', changes: { name } } as const;
      await send(new ChangeOrgUnit(contextOf('renamed'), idOf(settings.departments, unit), change, null));
    }),
    step(addDays(calendar.today, -1), 475, async (stepContext) => {
      await seedMappings(stepContext, settings);
      await limitOverdrafts(stepContext, settings);
    }),
  ];
}

/**
 * Runs the effective-date job on each day on which a fact takes effect that was recorded before.
 */
function effectSteps(steps: readonly Step[], { today, firstDay }: Calendar, organisationId: string): readonly Step[] {
  const days = new Set(
    steps.flatMap(({ at, effectiveOn: day }) =>
      day && day > at.slice(0, 10) && day > firstDay && day < today ? [day] : [],
    ),
  );
  return [...days].map((day) => {
    const at = `${day}T00:01:00.000Z`;
    return {
      at,
      who: null,
      run: async ({ pool, send }) => {
        if (!(await isPast(pool, organisationId, at))) await send(new RecordEffectiveDates(organisationId));
      },
    };
  });
}

/**
 * Whether an interrupted run had gone beyond this instant: the job would then move rows back to an earlier
 * day.
 */
async function isPast(pool: Pool, organisationId: string, instant: string): Promise<boolean> {
  const { rows } = await pool.query(
    `select from employment_facts where organisation_id = $1 and recorded_at > $2
      union all select from people where organisation_id = $1 and shown_since > $3 limit 1`,
    [organisationId, instant, instant.slice(0, 10)],
  );
  return rows.length > 0;
}
