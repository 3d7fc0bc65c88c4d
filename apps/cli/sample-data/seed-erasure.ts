import { dateIn } from '#kernel/dates.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { ErasePerson, RequestErasure } from '#people/erasure/erasure-commands.js';
import type { Erasure } from '#people/erasure/erasure-list.js';
import { operatorContext } from '../command-context.js';
import { calendarFrom, instantOn } from './calendar.js';
import { atMoment } from './recorded-at.js';
import type { Seeding } from './seeding.js';

const REASON = 'Request of the former employee, after the retention period';

/**
 * Erases the personal data of the person who left first, with the commands of `workforce people erase`. An
 * erasure destroys the files of imports, so imports are requested after it.
 *
 * @param listed the erasure of an earlier run, which may have been interrupted; none on the first
 */
export async function seedErasure(
  { send, pool }: Seeding,
  organisation: OrganisationRow,
  listed: Erasure | undefined,
): Promise<void> {
  if (listed !== undefined && listed.completed_at !== null) return;
  const calendar = calendarFrom(dateIn(organisation.time_zone, organisation.created_at));
  const person_id = listed?.person_id ?? (await whoLeftFirst(pool, organisation.id));
  await atMoment(instantOn(calendar, calendar.today, 477), async () => {
    const context = operatorContext(organisation);
    const noted = await send(new RequestErasure(context, { person_id, reason: REASON }, null));
    await send(new ErasePerson(context, noted));
  });
}

async function whoLeftFirst(pool: Seeding['pool'], organisationId: string): Promise<string> {
  const { rows } = await pool.query<{ person_id: string }>(
    `select person_id from people where organisation_id = $1 and status = 'ended' order by end_date, person_id limit 1`,
    [organisationId],
  );
  return rows[0]!.person_id;
}
