import { anchorKeyOf, signAnchor, type Anchor } from './anchor.js';
import { AnchorFileError, anchorFileOf, anchorsOfFile } from './anchor-file.js';
import { anchorAll, isAnchorDue, listAnchors, loadAnchorKey } from './anchor-store.js';
import { verifyHistory, type Verification } from './verify.js';
import { PROJECTIONS } from '#composition/registry.js';
import { createPerson, newOrganisation, worldForSpec } from '../../test/support/people/world.js';
import { tamper } from '../../test/support/audit/tampering.js';
import { allReadable } from '../../test/support/postgres.js';

const world = worldForSpec();
let key: ReturnType<typeof anchorKeyOf>;
let organisation: string;

beforeAll(async () => {
  key = await loadAnchorKey(world.pool);
  organisation = await newOrganisation(world);
});

afterEach(() => world.pool.query('truncate audit_records, audit_anchors'));

async function anchorSomething(): Promise<readonly Anchor[]> {
  await createPerson(world, organisation);
  await allReadable(world.pool);
  return anchorAll({ ...world, key });
}

function verify(
  options: { readonly exported?: readonly Anchor[]; readonly publicKeys?: readonly string[] } = {},
): Promise<Verification> {
  return verifyHistory({ ...world, projections: PROJECTIONS, publicKeys: [key.publicKey], ...options });
}

async function messages(options: Parameters<typeof verify>[0] = {}): Promise<readonly string[]> {
  return (await verify(options)).findings.map(({ message }) => message);
}

it('anchors the events since the last anchor, each naming the one before it, and creates none without events', async () => {
  const [first] = await anchorSomething();
  const [second] = await anchorSomething();
  expect([first!.document.number, second!.document.number]).toEqual([1, 2]);
  expect(second!.document).toMatchObject({
    events: first!.document.events + second!.document.added,
    last: { revision: expect.any(Number) as number },
  });
  expect(await anchorAll({ ...world, key })).toEqual([]);
  expect(await listAnchors(world.pool)).toEqual([first, second]);
  expect((await verify()).findings).toEqual([]);
});

it('creates one anchor if two processes do it at once', async () => {
  await createPerson(world, organisation);
  await allReadable(world.pool);
  const made = await Promise.all([anchorAll({ ...world, key }), anchorAll({ ...world, key })]);
  expect(made.flat()).toHaveLength(1);
  expect((await verify()).findings).toEqual([]);
});

it('is due if there is no anchor, or the last one is a day old', async () => {
  expect(await isAnchorDue(world.pool)).toBe(true);
  await anchorSomething();
  expect(await isAnchorDue(world.pool)).toBe(false);
  await world.pool.query(`update audit_anchors set created_at = created_at - interval '25 hours'`);
  expect(await isAnchorDue(world.pool)).toBe(true);
});

it('exports anchors as they were signed, and refuses other files', async () => {
  const anchors = [...(await anchorSomething()), ...(await anchorSomething())];
  expect(anchorsOfFile(anchorFileOf(anchors))).toEqual(anchors);
  for (const text of ['', 'anchors\n', '{"anchor":"{}","signature":""}\n', `${anchorFileOf(anchors)}{}\n`])
    expect(() => anchorsOfFile(text)).toThrow(AnchorFileError);
});

describe('tampering with anchors', () => {
  let exported: readonly Anchor[];

  beforeEach(async () => {
    exported = [...(await anchorSomething()), ...(await anchorSomething()), ...(await anchorSomething())];
    await world.pool.query(
      'drop table if exists events_as_they_were; create table events_as_they_were as select * from events',
    );
  });

  afterEach(() =>
    tamper(world.pool, async (connection) => {
      await connection.query('delete from events');
      await connection.query('insert into events overriding system value select * from events_as_they_were');
    }),
  );

  const alter = (text: string, values: unknown[] = []): Promise<unknown> =>
    tamper(world.pool, (connection) => connection.query(text, values));

  it('is found if one is removed, and the others still prove the events that they cover', async () => {
    await world.pool.query('delete from audit_records where anchor = 2');
    await world.pool.query('delete from audit_anchors where number = 2');
    expect(await messages()).toEqual(['anchor 2 is missing']);
    expect(await messages({ exported })).toEqual([
      'anchor 2 of the file is missing in the database',
      'the record of anchor 2 in the database differs from its signed digest',
    ]);
  });

  it('is found if all are removed, with an exported file', async () => {
    await world.pool.query('truncate audit_records, audit_anchors');
    expect(await messages()).toEqual([]);
    const found = await messages({ exported });
    expect(found).toContain('anchor 3 of the file is missing in the database');
    expect(found.filter((message) => message.includes('are not those'))).toEqual([]);
  });

  it('is found if the record of an anchor is changed, and history is proved without it', async () => {
    await world.pool.query(
      `update audit_records set entries = set_byte(entries, 20, (get_byte(entries, 20) + 1) % 256) where anchor = 2`,
    );
    expect(await messages()).toEqual(['the record of anchor 2 in the database differs from its signed digest']);
    await alter(
      `update events set recorded_at = recorded_at - interval '1 day' where stream = (select stream from audit_records where anchor = 2 limit 1)`,
    );
    const { document } = exported[1]!;
    expect(await messages()).toContain(
      `events ${document.events - document.added + 1} to ${document.events} of the log differ from those of anchor 2`,
    );
  });

  it('is found if an anchor is signed with another key, even one that was put into the database', async () => {
    const { document } = exported[2]!;
    const forged = signAnchor({ ...document, events: document.events }, anchorKeyOf(Buffer.alloc(32, 1)));
    await world.pool.query('update audit_anchors set document = $1, signature = $2 where number = 3', [
      forged.text,
      forged.signature,
    ]);
    expect(await messages()).toContain('anchor 3 is not signed with the key of this installation');
    expect(await messages({ exported })).toEqual(['anchor 3 in the database differs from that of the file']);
    expect(await messages({ publicKeys: [anchorKeyOf(Buffer.alloc(32, 2)).publicKey] })).toHaveLength(3);
  });

  it('is found if history is removed together with anchors, with an exported file', async () => {
    const { stream } = exported[2]!.document.last;
    await alter('delete from events where stream = $1', [stream]);
    await world.pool.query('delete from audit_records where anchor = 3');
    await world.pool.query('delete from audit_anchors where number = 3');
    expect(await messages({ exported })).toContain('anchor 3 of the file is missing in the database');
    expect(
      (await verify({ exported })).findings.some(({ message }) => message.includes('differ from those of anchor 3')),
    ).toBe(true);
  });

  it('is reported if the triggers that refuse changes are disabled', async () => {
    await world.pool.query('alter table events disable trigger events_are_never_changed');
    const { findings } = await verify();
    await world.pool.query('alter table events enable trigger events_are_never_changed');
    expect(findings).toEqual([expect.objectContaining({ kind: 'unprotected', stream: null })]);
  });
});
