import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';

/** The day of a moment in the time zone of an organisation. Throws where there is no such organisation. */
export async function todayOf(executor: Executor, organisationId: string, now: Date): Promise<LocalDate> {
  const { rows } = await executor.query<{ day: LocalDate }>({
    name: 'today-of-organisation',
    text: 'select ($2::timestamptz at time zone time_zone)::date as day from organisations where id = $1',
    values: [organisationId, now],
  });
  return rows[0]!.day;
}
