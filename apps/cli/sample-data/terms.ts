import { nameKey } from '#kernel/names.js';
import type { Settings } from './seed-settings.js';
import { patternOf } from './settings.js';

/** The terms of so many minutes a week. */
export function hoursOf(
  { workingPatterns }: Settings,
  minutes: number,
): { readonly working_pattern_id: string; readonly contracted_weekly_minutes: number } {
  return {
    working_pattern_id: workingPatterns.get(nameKey(patternOf(minutes).label))!,
    contracted_weekly_minutes: minutes,
  };
}

/** The terms that a fact names. */
export function changedTerms(
  settings: Settings,
  { title, minutes }: { readonly title?: string; readonly minutes?: number },
): object {
  return {
    ...(title === undefined ? {} : { job_title: title }),
    ...(minutes === undefined ? {} : hoursOf(settings, minutes)),
  };
}
