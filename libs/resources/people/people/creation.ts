import { emailKey } from '#http/fields/email-address.js';
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { RECORDED_AT, type WholeWrite } from '#commands/batches/batch-recorder.js';
import type { CommandContext } from '#commands/command-context.js';
import { asRecorded, toNewEvents } from '#commands/handle-command.js';
import type { NewId, Preload, WriteSession } from '#commands/write-session.js';
import { storingPersonKeys } from '#database/key-rings/person-key-seal.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { WrittenJson } from '#kernel/json.js';
import { RejectedError } from '#kernel/rejection.js';
import type { Row } from '#projections/projection.js';
import type { Terms } from '../employment/timeline.js';
import { decideEmployment, employmentAggregate, initialEmployment } from '../employment/employment.decider.js';
import {
  decidePerson,
  evolvePerson,
  initialPerson,
  personAggregate,
  type PersonState,
  type WholeIdentity,
} from '../person/person.decider.js';

import { PERSON_KEY_BYTES, sealPersonEvent, withSealedFingerprint } from '../person/person-seal.js';
import type { LiveReferences } from './live-references.js';
import { createdPeopleExpressions, employmentRows, identityColumns } from './people.projection.js';
import { personTag, type WrittenText } from './people.reader.js';
import { personJson, referenceJson, REFERENCES } from './person-text.js';
import { archivedReference, namesIn } from './references.js';

/** The first data of a new person. */
export interface NewPerson {
  readonly identity: WholeIdentity;
  readonly startDate: string | null;
  readonly terms: Terms;
}

/** A row that says what stands in the way of recording a new person at once. */
interface Obstacles {
  /** Whether anybody has, or has reserved, the e-mail address. */
  readonly is_reserved: boolean;
  /** Whether an earlier attempt made a key for this person. */
  readonly has_key: boolean;
}

const OBSTACLES = 'obstacles-of-a-new-person';

/** What a creation reads first: {@link Obstacles}, and whether the person's employment exists. */
export function newPersonPreload(organisationId: string, { work_email }: { readonly work_email: string }, newId: NewId): Preload {
  const personId = newId('person');
  return {
    row: {
      name: OBSTACLES,
      text: `select
        exists (select from work_email_reservations r where r.organisation_id = $1 and r.email_key = $3) as is_reserved,
        exists (select from person_keys k where k.organisation_id = $1 and k.person_id = $2) as has_key`,
      values: [organisationId, personId, emailKey(work_email)],
    },
    stream: employmentAggregate.streamOf(organisationId, personId),
  };
}

/** Whether a person can be recorded at once: no attempt has left anything, and nobody has the address. */
export function canCreateAtOnce(session: WriteSession | undefined, organisationId: string, personId: string): session is WriteSession {
  if (session?.endOf(employmentAggregate.streamOf(organisationId, personId)) !== 'none') return false;
  const obstacles = session.preloadedRow(OBSTACLES, () => true)?.row as Obstacles | undefined;
  return obstacles !== undefined && !obstacles.is_reserved && !obstacles.has_key;
}

/** A new person as the answer shows them: the time of recording is {@link RECORDED_AT}. */
export interface AnsweredPerson extends Pick<WrittenText, 'json'> {
  readonly entityTag: string;
}

/**
 * Decides a creation and has the session record it: both streams, key, address, rows and receipt, all or nothing. Where the address was taken in
 * the meantime, or an attempt of the same request was first, completing the session throws `WriteOvertakenError`. Throws
 * {@link RejectedError}.
 */
export async function createAtOnce(
  pool: Pool,
  context: CommandContext & { readonly session: WriteSession },
  { personId, factId, person }: { readonly personId: string; readonly factId: string; readonly person: NewPerson },
  references: LiveReferences,
): Promise<AnsweredPerson> {
  const { organisationId, session } = context;
  const key = randomBytes(PERSON_KEY_BYTES);
  const { employment, identity, state } = decided(withSealedFingerprint(context, key), { personId, factId, person, key }, references);
  const stored = await storingPersonKeys(pool, (wrap) => Promise.resolve(wrap({ organisationId, personId }, key)));
  const identityRow = identityColumns(identity, state);
  const employmentTables = employmentRows(employment, { today: () => context.today, personKey: () => null });
  const [employed] = employmentTables['people']!;
  const row = { ...employed, ...identityRow };
  session.recordLater({
    appends: [employment, identity].map((stream) => ({ stream: stream[0]!.stream, expected: 'none' as const, events: stream })),
    rows: rowsOf(row, employmentTables, { organisation_id: organisationId, person_id: personId, key: `\\x${stored.toString('hex')}` }),
    beforeAppend: context.beforeAppend,
  });
  return answerOf(row, references);
}

interface DecidedPerson {
  readonly employment: readonly RecordedEvent[];
  readonly identity: readonly RecordedEvent[];
  readonly state: PersonState;
}

function decided(
  context: CommandContext,
  {
    personId,
    factId,
    person,
    key,
  }: { readonly personId: string; readonly factId: string; readonly person: NewPerson; readonly key: Buffer },
  references: LiveReferences,
): DecidedPerson {
  const { organisationId } = context;
  const identity = decidePerson({ type: 'create', identity: person.identity }, initialPerson);
  if ('rejection' in identity) throw new RejectedError(identity.rejection);
  const archived = archivedReference(person.terms, references, person.startDate ?? context.today);
  if (archived !== null) throw new RejectedError(archived);
  const command = { type: 'start', startDate: person.startDate, terms: person.terms, personId, factId } as const;
  const employment = decideEmployment(command, initialEmployment);
  if ('rejection' in employment) throw new RejectedError(employment.rejection);
  const recorded = (stream: string, events: Parameters<typeof toNewEvents>[2]): readonly RecordedEvent[] => {
    const newEvents = toNewEvents(context, stream, events, { previousHash: null });
    return asRecorded(stream, newEvents, { revision: newEvents.length - 1, position: '', recordedAt: RECORDED_AT, repeated: false });
  };
  const sealed = identity.events.map((event) => sealPersonEvent(event, key));
  return {
    employment: recorded(employmentAggregate.streamOf(organisationId, personId), employment.events),
    identity: recorded(personAggregate.streamOf(organisationId, personId), sealed),
    state: identity.events.reduce(evolvePerson, initialPerson),
  };
}

function rowsOf(row: Row, tables: ReturnType<typeof employmentRows>, key: Row): WholeWrite['rows'] {
  const rows = [[row], tables['employment_facts']!, tables['employment_beliefs']!, [key]];
  return { name: 'created-people', values: rows.map((ofTable) => JSON.stringify(ofTable)), expressions: createdPeopleExpressions };
}

function answerOf(row: Row, references: LiveReferences): AnsweredPerson {
  const names = namesIn(references, row as unknown as Parameters<typeof namesIn>[1]);
  const lines = new Map(REFERENCES.map(({ member, column, joined }) => [`${member} ${names[column]}`, names[joined]]));
  const texts = {
    identity_text: row['identity_text'] as string,
    employment_text: row['employment_text'] as string,
    effect_updated_at: null,
    manager_name: names.manager_name,
  };
  const { text, references: shown } = personJson(texts, (line) => referenceJson(line, lines.get(line) ?? null));
  return {
    json: new WrittenJson(text),
    entityTag: personTag({ ...(row as unknown as Parameters<typeof personTag>[0]), effect_revision: null }, shown),
  };
}
