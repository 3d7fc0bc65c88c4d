import { nameKey, nameProblem, normaliseName, normaliseOptional } from './names.js';

describe('the key of a name', () => {
  it.each([
    ['Engineering', ' engineering '],
    ['Human  Resources', 'HUMAN\tresources'],
    ['Café', 'CAFE\u0301'],
    ['ﬁnance', 'Finance'],
  ])('of %j is that of %j', (one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  it('distinguishes names that differ in more than that', () => expect(nameKey('R&D')).not.toBe(nameKey('R & D')));
});

describe('a name', () => {
  it('is stored without superfluous white space', () => {
    expect(normaliseName('  Human \u00a0 Resources ')).toBe('Human Resources');
  });

  it('that is optional is null if it has no visible character', () => {
    expect(['', '  ', '\u00a0', '\u200b', ' a  b ', '\n'].map(normaliseOptional)).toEqual([
      null,
      null,
      null,
      null,
      'a b',
      '\n',
    ]);
  });

  it('keeps other characters than spaces, so that the check refuses them instead of a silent change', () => {
    for (const name of [
      'Human\nResources',
      'Human\tResources',
      'Resources\n',
      '\ufeffResources',
      'Human\u2028Resources',
    ]) {
      expect([normaliseName(name), nameProblem(normaliseName(name))]).toEqual([
        name,
        expect.stringMatching(/^must not contain/),
      ]);
    }
  });

  it.each(['', 'a'.repeat(201), 'a\u0000b', 'a\u0085b', 'a\u202eb', '\u200b', '\ud800'])('may not be %j', (name) => {
    expect(nameProblem(name)).not.toBeNull();
  });

  it('may have 200 characters beyond the basic plane', () => expect(nameProblem('𝒜'.repeat(200))).toBeNull());
});
