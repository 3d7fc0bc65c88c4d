import { changesOf, namedFields } from './named-fields.js';

describe('namedFields', () => {
  it('leaves out what is undefined, and keeps what is null, empty or false', () => {
    expect(Object.entries(namedFields({ a: undefined, b: null, c: '', d: 0, e: false, f: 'x' }))).toEqual([
      ['b', null],
      ['c', ''],
      ['d', 0],
      ['e', false],
      ['f', 'x'],
    ]);
  });
});

describe('changesOf', () => {
  interface Fields {
    readonly name: string;
    readonly note: string | null;
    readonly days: readonly { readonly week: number; readonly weekday: number }[];
  }
  const current: Fields = { name: 'Ada', note: null, days: [{ week: 1, weekday: 2 }] };

  it('is null where nothing is named, or what is named is so already', () => {
    expect(changesOf<Fields>({}, current)).toBeNull();
    expect(changesOf<Fields>({ name: 'Ada', note: null }, current)).toBeNull();
    expect(changesOf<Fields>({ days: [{ weekday: 2, week: 1 }] }, current)).toBeNull();
  });

  it('has what differs, and nothing else', () => {
    expect(changesOf<Fields>({ name: 'Ada', note: 'x' }, current)).toEqual({ note: 'x' });
    expect(changesOf<Fields>({ days: [] }, current)).toEqual({ days: [] });
    expect(changesOf<Fields>({ note: null }, { ...current, note: 'x' })).toEqual({ note: null });
  });
});
