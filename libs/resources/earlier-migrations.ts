import type { EarlierText } from '#database/migrations.js';
import { EVENT_STORE_SCHEMA } from '#event-store/postgres/schema.sql.js';
import { PEOPLE_SCHEMA } from './people/people/people.schema.js';

/** A function as the schema has it, to be put in the place of one of the same parameters and results. */
function functionOf(schema: string, name: string): string {
  const text = new RegExp(`^create function ${name}\\([\\s\\S]*?\\$\\$;`, 'm').exec(schema)?.[0];
  if (text === undefined) throw new Error(`the schema has no function ${name}`);
  return text.replace(/^create function/, 'create or replace function');
}

/** Until an append had a millisecond of its own, so that what was asked for a moment came to include a later append of it. */
export const EARLIER_EVENT_STORES: readonly EarlierText[] = [
  {
    checksum: '994be90e199ca3a0bae3cd089a5ce9454023fd23a1a71c0be383f718de0bf9da',
    mend: functionOf(EVENT_STORE_SCHEMA, 'append_under_lock'),
  },
];

/** The constraint goes by one hash instead of two texts. The function tells since when an address is reserved: its results are others. */
const MEND_PEOPLE = `
alter table employment_beliefs drop constraint employment_beliefs_never_overlap;
alter table employment_beliefs add constraint employment_beliefs_never_overlap
  exclude using gist (hashtextextended(organisation_id || person_id, 0) with =, valid with &&, known with &&);
drop function reserve_person(text, text, text, bytea, interval);
${functionOf(PEOPLE_SCHEMA, 'reserve_person')}
`;

/** Until a repeat kept its reservation fresh, and until the constraint cost a quarter. */
export const EARLIER_PEOPLE: readonly EarlierText[] = [
  { checksum: '87a85eea1de358427ac7946b7f4cbc67e909a37453af605bd497aea24f8a102c', mend: MEND_PEOPLE },
];
