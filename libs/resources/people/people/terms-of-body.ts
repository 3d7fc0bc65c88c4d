import { namedFields } from '#kernel/json.js';
import type { Terms } from '../employment/timeline.js';
import type { TermsRequest } from './people.contract.js';

/** The terms that a body names. */
export function termsOf(body: TermsRequest): Terms {
  const {
    job_title,
    department_id,
    manager_id,
    work_place_id,
    work_type_id,
    working_pattern_id,
    contracted_weekly_minutes,
    full_time_weekly_minutes,
  } = body;
  const terms = {
    job_title,
    department_id,
    manager_id,
    work_place_id,
    work_type_id,
    working_pattern_id,
    contracted_weekly_minutes,
    full_time_weekly_minutes,
  };
  return namedFields(terms) as Terms;
}
