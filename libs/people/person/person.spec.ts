import {
  decidePerson,
  displayNameOf,
  evolvePerson,
  initialPerson,
  type PersonEvent,
  type CompleteIdentity,
} from './person.js';

const ADA: CompleteIdentity = {
  work_email: 'ada@example.com',
  first_name: 'Ada',
  preferred_name: null,
  last_name: 'Lovelace',
  staff_id: 'S1',
};
const created: PersonEvent = { type: 'PersonCreated', data: { identity: ADA } };
const ada = evolvePerson(initialPerson, created);

describe('nobody', () => {
  it('can be created', () =>
    expect(decidePerson({ type: 'create', identity: ADA }, initialPerson)).toEqual({ events: [created] }));
  it('cannot be changed', () => {
    expect(decidePerson({ type: 'change', identity: { first_name: 'A' } }, initialPerson)).toMatchObject({
      rejection: { kind: 'not_found' },
    });
  });
  it('has no state after a change without a creation', () => {
    expect(
      evolvePerson(initialPerson, { type: 'PersonIdentityChanged', data: { identity: { first_name: 'A' } } }),
    ).toEqual(initialPerson);
  });
});

describe('a recorded person', () => {
  it('is not created again', () => {
    expect(decidePerson({ type: 'create', identity: ADA }, ada)).toMatchObject({ rejection: { kind: 'conflict' } });
  });
  it('records only the fields that differ', () => {
    const decision = decidePerson(
      { type: 'change', identity: { ...ADA, preferred_name: 'Addie', staff_id: null } },
      ada,
    );
    expect(decision).toEqual({
      events: [{ type: 'PersonIdentityChanged', data: { identity: { preferred_name: 'Addie', staff_id: null } } }],
    });
  });
  it('records nothing if nothing differs or no field is given', () => {
    expect(decidePerson({ type: 'change', identity: ADA }, ada)).toEqual({ events: [] });
    expect(decidePerson({ type: 'change', identity: {} }, ada)).toEqual({ events: [] });
  });
  it('records the case of an e-mail address', () => {
    expect(decidePerson({ type: 'change', identity: { work_email: 'Ada@example.com' } }, ada)).toMatchObject({
      events: [{}],
    });
  });
  it('keeps what a change does not name', () => {
    expect(evolvePerson(ada, { type: 'PersonIdentityChanged', data: { identity: { last_name: null } } })).toMatchObject(
      { identity: { ...ADA, last_name: null } },
    );
  });
});

describe('texts of a person', () => {
  it.each(['first_name', 'preferred_name', 'last_name', 'staff_id', 'work_email'] as const)(
    'have no control character in %s',
    (field) => {
      const identity = { ...ADA, [field]: 'a\u0007b' };
      const refused = {
        rejection: { kind: 'invalid_request', details: [{ field, issue: 'must not contain control characters' }] },
      };
      expect(decidePerson({ type: 'create', identity }, initialPerson)).toMatchObject(refused);
      expect(decidePerson({ type: 'change', identity: { [field]: 'a\u0007b' } }, ada)).toMatchObject(refused);
    },
  );
  it('are recorded trimmed, with runs of blanks as one, and null where they are blank; an address stays as it is', () => {
    const identity = {
      ...ADA,
      first_name: ' Ada \u00a0 Augusta ',
      last_name: '  ',
      staff_id: '',
      work_email: ' ada@example.com',
    };
    const recorded = { ...identity, first_name: 'Ada Augusta', last_name: null, staff_id: null };
    expect(decidePerson({ type: 'create', identity }, initialPerson)).toEqual({
      events: [{ type: 'PersonCreated', data: { identity: recorded } }],
    });
    expect(decidePerson({ type: 'change', identity: { first_name: ' Ada', staff_id: 'S1 ' } }, ada)).toEqual({
      events: [],
    });
  });
  it('stay unchanged in earlier events', () => {
    const old = evolvePerson(initialPerson, {
      type: 'PersonCreated',
      data: { identity: { ...ADA, last_name: 'a\u0007b' } },
    });
    expect(old).toMatchObject({ identity: { last_name: 'a\u0007b' } });
    expect(decidePerson({ type: 'change', identity: { first_name: 'Augusta' } }, old)).toMatchObject({
      events: [{ data: { identity: { first_name: 'Augusta' } } }],
    });
  });
});

describe('the display name', () => {
  it.each([
    [{}, 'Ada Lovelace'],
    [{ preferred_name: 'Addie' }, 'Addie Lovelace'],
    [{ preferred_name: ' ' }, 'Ada Lovelace'],
    [{ last_name: null }, 'Ada'],
    [{ first_name: null }, 'Lovelace'],
    [{ first_name: '', last_name: ' ' }, 'ada@example.com'],
    [{ first_name: null, last_name: null }, 'ada@example.com'],
  ])('with %j is %s', (identity, expected) => expect(displayNameOf({ ...ADA, ...identity })).toBe(expected));
});
