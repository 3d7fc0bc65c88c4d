import { fold } from '#kernel/aggregate.js';
import {
  decideTimeOffCategory,
  evolveTimeOffCategory,
  initialTimeOffCategory,
  NO_NAMESAKES,
  type TimeOffCategoryCommand,
  type TimeOffCategoryEvent,
} from './time-off-category.js';
import {
  completeCategory,
  rulesOfCategory,
  TIME_OFF_CATEGORY,
  type TimeOffCategory,
} from './time-off-category.rules.js';

const CATEGORY: TimeOffCategory = completeCategory({ label: 'Annual leave', code: 'AL' });
const CREATED: TimeOffCategoryEvent = { type: 'TimeOffCategoryCreated', data: CATEGORY };
const ARCHIVED: TimeOffCategoryEvent = { type: 'TimeOffCategoryArchived', data: {} };
const TAKEN = { hasLabel: true, hasCode: true };

function when(command: TimeOffCategoryCommand, given: readonly TimeOffCategoryEvent[] = [], namesakes = NO_NAMESAKES) {
  return decideTimeOffCategory(
    command,
    fold({ initial: initialTimeOffCategory, evolve: evolveTimeOffCategory }, given),
    namesakes,
  );
}

describe('a time-off category that does not exist', () => {
  it('is created', () => expect(when({ type: 'create', category: CATEGORY })).toEqual({ events: [CREATED] }));

  it.each<[keyof TimeOffCategory, unknown]>([
    ['label', ''],
    ['label', 'x\u0000'],
    ['code', ''],
    ['code', 'x'.repeat(41)],
    ['colour', 'red'],
    ['colour', '#12345g'],
    ['unit', 'weeks'],
    ['is_standard', 1],
    ['paid', null],
    ['annual_allowance_minutes', -1],
    ['annual_allowance_minutes', Number.NaN],
    ['annual_allowance_minutes', 525_601],
    ['negative_balance_minutes', 0.5],
  ])('is refused for its %s: %j', (field, value) => {
    const decision = when({ type: 'create', category: { ...CATEGORY, [field]: value } });
    expect(decision).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('is refused if another active one has its label or its code', () => {
    expect(when({ type: 'create', category: CATEGORY }, [], { ...NO_NAMESAKES, hasLabel: true })).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'label' }] },
    });
    expect(when({ type: 'create', category: CATEGORY }, [], { ...NO_NAMESAKES, hasCode: true })).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'code' }] },
    });
    expect(
      when({ type: 'create', category: { ...CATEGORY, code: null } }, [], { ...NO_NAMESAKES, hasCode: true }),
    ).toHaveProperty('events');
  });

  it('cannot be changed or archived', () => {
    expect(when({ type: 'change', changes: { paid: false } })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'archive' })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('an active time-off category', () => {
  it('is not created again', () => {
    expect(when({ type: 'create', category: CATEGORY }, [CREATED])).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'id' }] },
    });
  });

  it('records what differs and nothing else', () => {
    const changes = { label: 'Annual leave', paid: false, annual_allowance_minutes: 100 };
    expect(when({ type: 'change', changes }, [CREATED])).toEqual({
      events: [{ type: 'TimeOffCategoryChanged', data: { changes: { paid: false, annual_allowance_minutes: 100 } } }],
    });
    expect(when({ type: 'change', changes: { label: 'Annual leave', code: 'AL' } }, [CREATED], TAKEN)).toEqual({
      events: [],
    });
    expect(when({ type: 'change', changes: {} }, [CREATED])).toEqual({ events: [] });
  });

  it('takes no name of another one', () => {
    expect(when({ type: 'change', changes: { label: 'Other' } }, [CREATED], TAKEN)).toMatchObject({
      rejection: { details: [{ field: 'label' }] },
    });
    expect(when({ type: 'change', changes: { code: 'X' } }, [CREATED], TAKEN)).toMatchObject({
      rejection: { details: [{ field: 'code' }] },
    });
    expect(when({ type: 'change', changes: { code: null } }, [CREATED], TAKEN)).toHaveProperty(
      'events.0.type',
      'TimeOffCategoryChanged',
    );
  });

  it('is archived once, and not changed then', () => {
    expect(when({ type: 'archive' }, [CREATED])).toEqual({ events: [ARCHIVED] });
    for (const command of [{ type: 'archive' }, { type: 'change', changes: { paid: false } }] as const) {
      expect(when(command, [CREATED, ARCHIVED])).toMatchObject({
        rejection: { kind: 'conflict', details: [{ field: 'is_active' }] },
      });
    }
  });
});

it('normalises names and colours, and leaves absent fields unchanged', () => {
  expect(TIME_OFF_CATEGORY.normalise({ label: '  Annual   leave ', code: ' A  L ', colour: '#ABCDEF' })).toEqual({
    label: 'Annual leave',
    code: 'A L',
    colour: '#abcdef',
  });
  expect(TIME_OFF_CATEGORY.normalise({ code: null, paid: true })).toEqual({ code: null, paid: true });
});

it('separates the rules from names and colours', () => {
  const { label: _, code: __, colour: ___, ...rest } = CATEGORY;
  expect(rulesOfCategory(CATEGORY)).toEqual(rest);
});
