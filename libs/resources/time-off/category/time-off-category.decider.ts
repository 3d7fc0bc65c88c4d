import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { categoryProblem, type TimeOffCategory } from './time-off-category.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type TimeOffCategoryEvent =
  | DomainEvent<'TimeOffCategoryCreated', TimeOffCategory>
  | DomainEvent<'TimeOffCategoryChanged', { changes: Partial<TimeOffCategory> }>
  | DomainEvent<'TimeOffCategoryArchived', Record<string, never>>;

export type TimeOffCategoryState =
  { readonly status: 'none' } | { readonly status: 'active' | 'archived'; readonly category: TimeOffCategory };

export const initialTimeOffCategory: TimeOffCategoryState = { status: 'none' };

/** The state with one more event. */
export function evolveTimeOffCategory(state: TimeOffCategoryState, event: TimeOffCategoryEvent): TimeOffCategoryState {
  if (event.type === 'TimeOffCategoryCreated') return { status: 'active', category: event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'TimeOffCategoryChanged':
      return { ...state, category: { ...state.category, ...event.data.changes } };
    case 'TimeOffCategoryArchived':
      return { ...state, status: 'archived' };
    default:
      return unreachable(event);
  }
}

export type TimeOffCategoryCommand =
  | { readonly type: 'create'; readonly category: TimeOffCategory }
  | { readonly type: 'change'; readonly changes: Partial<TimeOffCategory> }
  | { readonly type: 'archive' };

/**
 * Whether another active category has the label or the code. Looked up under a lock, so that no other command sets them at the same time.
 */
export interface Namesakes {
  readonly hasLabel: boolean;
  readonly hasCode: boolean;
}

export const NO_NAMESAKES: Namesakes = { hasLabel: false, hasCode: false };

/**
 * What a command records, or why it is refused. A change that changes nothing records nothing; archiving an archived category is refused.
 */
export function decideTimeOffCategory(
  command: TimeOffCategoryCommand,
  state: TimeOffCategoryState,
  namesakes: Namesakes = NO_NAMESAKES,
): Decision<TimeOffCategoryEvent> {
  if (command.type === 'create') {
    const rejection = categoryProblem(command.category);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'a time-off category with this id exists already'));
    const taken = nameRejection(command.category, namesakes);
    return taken === null ? accept({ type: 'TimeOffCategoryCreated', data: command.category }) : reject(taken);
  }
  if (state.status === 'none') return reject(notFound('category_id', 'there is no such time-off category'));
  if (state.status === 'archived') return reject(conflict('is_active', 'this time-off category is archived'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.category, namesakes);
    case 'archive':
      return accept({ type: 'TimeOffCategoryArchived', data: {} });
    default:
      return unreachable(command);
  }
}

function decideChange(named: Partial<TimeOffCategory>, category: TimeOffCategory, namesakes: Namesakes): Decision<TimeOffCategoryEvent> {
  const rejection = categoryProblem(named);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, category);
  if (changes === null) return accept();
  const taken = nameRejection(changes, namesakes);
  return taken === null ? accept({ type: 'TimeOffCategoryChanged', data: { changes } }) : reject(taken);
}

/** Among the active ones, a label and a code identify one category; an archived one frees both. */
function nameRejection(named: Partial<TimeOffCategory>, { hasLabel, hasCode }: Namesakes): Rejection | null {
  if (named.label !== undefined && hasLabel) return conflict('label', 'another active time-off category has this label');
  if (typeof named.code === 'string' && hasCode) return conflict('code', 'another active time-off category has this code');
  return null;
}

export const timeOffCategoryAggregate = defineAggregate({
  category: 'time-off-category',
  idKind: 'timeOffCategory',
  initial: initialTimeOffCategory,
  evolve: evolveTimeOffCategory,
  publishedAs: {
    TimeOffCategoryCreated: ['time_off_category.created'],
    TimeOffCategoryChanged: ['time_off_category.updated'],
    TimeOffCategoryArchived: ['time_off_category.archived'],
  },
});
