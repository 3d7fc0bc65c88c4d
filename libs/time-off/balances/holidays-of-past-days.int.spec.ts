import { randomUUID } from 'node:crypto';
import { testContext } from '../../../test/support/command-services.js';
import { createPerson, newOrganisation, recordFact, worldForSpec } from '../../../test/support/people/world.js';
import { commit } from '#commands/unit-of-work.js';
import { handleCommand } from '#commands/handle-command.js';
import { accept } from '#kernel/aggregate.js';
import { addDays } from '#kernel/dates.js';
import {
  ORGANISATION_ENTITY,
  organisationAggregate,
  type OrganisationEvent,
  type OrganisationState,
} from '#organisation/organisation/organisation.js';
import { createTimeOffCategory } from '../category/time-off-category.api.js';
import { findTimeOff, type TimeOffRow } from '../records/read-time-off.js';
import { changeTimeOff, requestTimeOff, stepTimeOff } from '../requests/request-time-off.js';
import { changeHoliday, type HolidayChange } from '../settings/time-off-settings.api.js';
import { readBalances } from './read-balances.js';

const WEEK = { start_date: '2026-12-21', end_date: '2026-12-31' };
const NOW = new Date('2027-03-01T12:00:00Z');

const world = worldForSpec();
let organisationId: string;
let personId: string;
let category: string;

/** Creates an organisation with the events of a version before this rule. */
async function organisationMadeBefore(): Promise<string> {
  const subdomain = `before-${randomUUID()}`;
  const id = world.mint.prefixed('organisation', '', 'subdomain', subdomain);
  const profile = {
    name: 'Before',
    country_code: 'DE',
    plan: 'standard',
    time_zone: 'UTC',
    logo_url: null,
    primary_color_light: null,
    primary_color_dark: null,
  } as const;
  const created: OrganisationEvent = {
    type: 'OrganisationCreated',
    data: { subdomain, is_sandbox: false, profile },
  };
  await commit(services(), testContext(id), async (within) => {
    await handleCommand<OrganisationState, OrganisationEvent>(services().store, within, {
      ...organisationAggregate,
      stream: organisationAggregate.streamOf(id, ORGANISATION_ENTITY),
      decide: () => accept(created),
      onConflict: 'refuse',
    });
    return () => undefined;
  });
  return id;
}

function services() {
  const { eventStore: store, pool: executor, projector, mint, clock } = world;
  return { store, executor, projector, mint, clock };
}

async function withPersonIn(organisation: string): Promise<void> {
  organisationId = organisation;
  personId = await createPerson(world, organisationId, { startDate: '2026-01-01' });
  const requested = { label: 'Leave', annual_allowance_minutes: 14_400 };
  category = (await createTimeOffCategory(services(), testContext(organisationId), requested)).id;
}

async function approved(dates: { readonly start_date: string; readonly end_date: string }): Promise<TimeOffRow> {
  const request = { person_id: personId, category_id: category, ...dates };
  const { id } = await requestTimeOff(services(), testContext(organisationId), request);
  return stepTimeOff(services(), testContext(organisationId), id, 'approve');
}

const say = (change: HolidayChange) => changeHoliday(services(), testContext(organisationId), change);
const read = async ({ id }: TimeOffRow): Promise<TimeOffRow> => (await findTimeOff(world.pool, organisationId, id))!;

/** The minutes taken as of the end of each day of December. */
async function takenInDecember(): Promise<readonly number[]> {
  const days = Array.from({ length: 31 }, (_, index) => addDays('2026-12-01', index));
  const balances = await Promise.all(
    days.map((asOf) => readBalances(world.pool, { organisationId, personId, asOf, now: NOW })),
  );
  return balances.map((one) => one!.balances[0]!.taken);
}

it('days on which banks close stay free on past days of an organisation that was made while they were, also in a record that is counted again', async () => {
  await withPersonIn(await organisationMadeBefore());
  const record = await approved(WEEK);
  const minutesOn = ({ days }: TimeOffRow) =>
    days.filter(({ counted }) => counted).map(({ date, minutes }) => `${date} ${minutes}`);
  const counted = [
    ...['2026-12-21 480', '2026-12-22 480', '2026-12-23 480', '2026-12-24 240', '2026-12-28 480'],
    ...['2026-12-29 480', '2026-12-30 480', '2026-12-31 240'],
  ];
  expect(minutesOn(record)).toEqual(counted);
  const before = await takenInDecember();
  await recordFact(world, organisationId, personId, { type: 'end', endDate: '2026-12-30' });
  const cut = await changeTimeOff(services(), testContext(organisationId), record.id, {});
  expect(minutesOn(cut)).toEqual(counted.slice(0, -1));
  expect((await takenInDecember()).slice(0, 30)).toEqual(before.slice(0, 30));
});

it('days on which banks close are working days from the first day of the rule on, and always in an organisation that is made since', async () => {
  await withPersonIn(await organisationMadeBefore());
  expect(await approved({ start_date: '2027-12-23', end_date: '2027-12-24' })).toMatchObject({ total_minutes: 960 });
  await withPersonIn(await newOrganisation(world));
  expect(await approved({ start_date: '2026-12-24', end_date: '2026-12-24' })).toMatchObject({ total_minutes: 480 });
});

it('a day that the organisation adds or removes changes no count and no balance of what is recorded, and counts in what is recorded since', async () => {
  await withPersonIn(await newOrganisation(world));
  const record = await approved(WEEK);
  const before = await takenInDecember();
  await say({ type: 'add', date: '2026-12-24', name: 'Christmas Eve', dayPart: 'afternoon' });
  await say({ type: 'remove', date: '2026-12-28' });
  expect(await read(record)).toEqual(record);
  expect(await takenInDecember()).toEqual(before);
  await stepTimeOff(services(), testContext(organisationId), record.id, 'cancel');
  const since = await approved(WEEK);
  const minutesOn = (date: string) => since.days.find((day) => day.date === date)!.minutes;
  expect([minutesOn('2026-12-24'), minutesOn('2026-12-25'), minutesOn('2026-12-28')]).toEqual([240, 0, 480]);
  expect(since.total_minutes).toBe(record.total_minutes - 240 + 480);
});
