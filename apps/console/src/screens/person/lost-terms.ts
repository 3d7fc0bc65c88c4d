import type { Difference } from '../../ui/lost-race.js';
import { fieldText, TERMS, valueText } from '../../data/beliefs.js';
import type { History } from './history.js';
import { segmentOn } from './standing.js';

type Timeline = History['data'];

/** Changes of another user to the beliefs about a day. */
export function changesBetween(before: Timeline, after: Timeline, day: string): readonly Difference[] {
  const [was, is] = [before, after].map(({ segments = [] }) => segmentOn(segments, day));
  const works = (segment: typeof was): string => valueText('employed', segment?.employed ?? false);
  const terms = TERMS.map((field) => ({
    what: fieldText(field),
    before: valueText(field, was?.[field]),
    after: valueText(field, is?.[field]),
  }));
  return [{ what: 'Employment', before: works(was), after: works(is) }, ...terms].filter(
    (row) => row.before !== row.after,
  );
}
