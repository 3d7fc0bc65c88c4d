import type { Answer } from '#http/call.js';
import type { TimeOffResponse } from '../records/time-off-shapes.js';
import { type TimeOffRow, timeOffTag } from '../records/read-time-off.js';

/** A record with its entity tag. */
export function answerWith(row: TimeOffRow): Answer {
  return { data: presentTimeOff(row), entityTag: timeOffTag(row) };
}

/** A record in the form of responses. */
export function presentTimeOff(row: TimeOffRow): TimeOffResponse {
  return {
    id: row.id,
    person: { id: row.person_id, display_name: row.display_name },
    category: { id: row.category_id, label: row.category_label },
    start_date: row.start_date,
    end_date: row.end_date,
    start_day_part: row.start_day_part,
    end_day_part: row.end_day_part,
    days: row.days,
    total_minutes: row.total_minutes,
    total_days: row.total_days,
    // The label of the dictionary `GET /reference/time-off-statuses`.
    status: row.status_code.charAt(0).toUpperCase() + row.status_code.slice(1),
    status_code: row.status_code,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
