import fc from 'fast-check';
import { ID_PREFIXES, idPatternSource, type IdKind, PERSON_ID_PATTERN } from '#kernel/identifier.js';
import { IdMint } from './id-mint.js';
import { isSandboxTenant, newSandboxTenant } from './sandbox-tenant.js';
import { nameBasedUuid } from './uuid.js';

const KINDS = Object.keys(ID_PREFIXES) as readonly IdKind[];
const mint = new IdMint(Buffer.alloc(32, 1));
const ORGANISATION = mint.prefixed('organisation', '', 'subdomain', 'example');
const OTHER = mint.prefixed('organisation', '', 'subdomain', 'other');

describe('an id', () => {
  it.each(KINDS)('of kind %s has its prefix and three segments, and is recognised', (kind) => {
    const id = mint.prefixed(kind, ORGANISATION, 'seed');
    expect(id).toMatch(new RegExp(idPatternSource(kind)));
    expect(mint.owns(kind, ORGANISATION, id)).toBe(true);
    expect(id.length).toBe(ID_PREFIXES[kind].length + 30);
  });
  it('is the same for the same seed, and different for any other', () => {
    expect(mint.prefixed('orgUnit', ORGANISATION, 'a', 'b')).toBe(mint.prefixed('orgUnit', ORGANISATION, 'a', 'b'));
    const ids = [['a', 'b'], ['ab'], ['a', 'b', ''], ['b', 'a'], ['1:a', 'b'], ['a:b']].map((seed) =>
      mint.prefixed('orgUnit', ORGANISATION, ...seed),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('of one organisation, kind or installation is invalid in another', () => {
    const id = mint.prefixed('orgUnit', ORGANISATION, 'seed');
    expect(mint.owns('orgUnit', OTHER, id)).toBe(false);
    expect(new IdMint(Buffer.alloc(32, 2)).owns('orgUnit', ORGANISATION, id)).toBe(false);
    for (const kind of KINDS.filter((candidate) => candidate !== 'orgUnit')) {
      expect(mint.owns(kind, ORGANISATION, id)).toBe(false);
      expect(mint.owns(kind, ORGANISATION, ID_PREFIXES[kind] + id.slice(ID_PREFIXES.orgUnit.length))).toBe(false);
    }
  });
  it('that was edited anywhere is refused', () => {
    const id = mint.prefixed('orgUnit', ORGANISATION, 'seed');
    for (let place = 0; place < id.length; place += 1) {
      for (const character of ['A', 'b', '.', '_', '']) {
        const edited = id.slice(0, place) + character + id.slice(place + 1);
        expect(mint.owns('orgUnit', ORGANISATION, edited)).toBe(edited === id);
      }
    }
  });
  it('is never recognised in any other text, and the check throws for none', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((rest) => `org_unit_${rest}`),
      fc.stringMatching(new RegExp(idPatternSource('orgUnit'))),
    );
    fc.assert(
      fc.property(text, (id) => expect(mint.owns('orgUnit', ORGANISATION, id)).toBe(false)),
      { numRuns: 2_000 },
    );
  });
  it('needs a key of 32 bytes', () => expect(() => new IdMint(Buffer.alloc(31))).toThrow(RangeError));
});

describe('a person id', () => {
  it('has twelve characters of the alphabet, and differs in each organisation', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        expect(mint.person(ORGANISATION, seed)).toMatch(PERSON_ID_PATTERN);
        expect(mint.person(ORGANISATION, seed)).not.toBe(mint.person(OTHER, seed));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('an id in a sandbox', () => {
  const other = new IdMint(Buffer.alloc(32, 2));
  const [one, next] = [newSandboxTenant(), newSandboxTenant()];

  it('is the same in every tenant of every installation, and never changes, because integrators use it', () => {
    expect(
      new Set([mint.person(one, 'sandbox', 'x'), mint.person(next, 'sandbox', 'x'), other.person(one, 'sandbox', 'x')])
        .size,
    ).toBe(1);
    expect(mint.prefixed('orgUnit', one, 'seed')).toBe(other.prefixed('orgUnit', next, 'seed'));
    expect(mint.person(one, 'sandbox', 'SBX-0001', 'person')).toBe('0btbcv8jv4av');
    expect(mint.publicOrganisation(one)).toBe('org_oKMqnM3j.n5e_f3Kp.1ZEhn13W8syK');
    expect(other.publicOrganisation(next)).toBe(mint.publicOrganisation(one));
  });
  it('is invalid outside, and no id from outside is valid in it', () => {
    expect(mint.owns('orgUnit', ORGANISATION, mint.prefixed('orgUnit', one, 'seed'))).toBe(false);
    expect(mint.owns('orgUnit', one, mint.prefixed('orgUnit', ORGANISATION, 'seed'))).toBe(false);
    expect(mint.person(one, 'seed')).not.toBe(mint.person(ORGANISATION, 'seed'));
    expect(mint.publicOrganisation(ORGANISATION)).toBe(ORGANISATION);
  });
  it('of a webhook, a delivery or an event differs in each tenant, and is still recognised', () => {
    for (const kind of ['webhook', 'webhookDelivery', 'event'] as const) {
      expect(mint.prefixed(kind, one, 'seed')).not.toBe(mint.prefixed(kind, next, 'seed'));
      expect(mint.owns(kind, one, mint.prefixed(kind, one, 'seed'))).toBe(true);
    }
  });
  it('belongs to a tenant whose own id has the form of an organisation id and is random', () => {
    expect(one).toMatch(new RegExp(idPatternSource('organisation')));
    expect(one).not.toBe(next);
    expect([isSandboxTenant(one), isSandboxTenant(ORGANISATION)]).toEqual([true, false]);
  });
});

describe('a name-based UUID', () => {
  it('has version 5, is the same for the same parts and differs for any others', () => {
    expect(nameBasedUuid('a', 'b')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(nameBasedUuid('a', 'b')).toBe(nameBasedUuid('a', 'b'));
    expect(
      new Set([nameBasedUuid('a', 'b'), nameBasedUuid('ab'), nameBasedUuid('b', 'a'), nameBasedUuid('a:1:b')]).size,
    ).toBe(4);
  });
  it('of given parts never changes, because events are identified by it', () => {
    expect(nameBasedUuid('organisation', 'key', '0')).toBe('ac6f0b64-b9ef-5c3b-b291-5de440d65a56');
  });
});
