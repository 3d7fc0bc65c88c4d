import { readFile, stat } from 'node:fs/promises';
import type { Pool } from 'pg';
import { codeOf } from '#database/error-code.js';
import { namedFields } from '#kernel/json.js';
import { PERSON_STATUSES } from '#kernel/person-statuses.js';
import { POSTAL_ADDRESS, type PostalAddress } from '#organisation/country/postal-address.js';
import { MarkPayroll, standingMarkers, WithdrawPayrollMarker } from '#payroll/marker/payroll-marker.api.js';
import { MARKER_STATES, PAYROLL_MARKERS } from '#payroll/marker/payroll-marker.js';
import { SetAvatar } from '#people/picture/avatar.api.js';
import { byteSizeRejection } from '#people/picture/avatar.rules.js';
import { ChangePersonalProfile } from '#people/profile/personal-profile.api.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import { type DirectoryQuery, listDirectory } from '#people/record/directory.js';
import type { PersonResponse } from '#people/record/people-shapes.js';
import { presentPerson } from '#people/record/present-people.js';
import { findPerson } from '#people/record/read-people.js';
import { RecordFact } from '#people/timeline/change-employment.js';
import { command } from '../command.js';
import { NotFoundError, UsageError } from '../command-error.js';
import type { Outcome } from '../declaration.js';
import { idOf, type NamedPerson, ORG_UNITS } from '../find-named.js';
import {
  choice,
  clearable,
  fieldsOf,
  LIMIT,
  lookedUp,
  ORGANISATION,
  organisation,
  person,
  required,
  text,
} from '../options.js';
import { optionsOf } from '../resource-commands.js';
import { rejectionSentence } from '../rejection-sentence.js';
import { cutListOf, tableOf } from '../text-table.js';
import { erase, erasures } from './erasures.js';

const PERSON = { person: required(person()) };
const PROFILE = {
  middle_names: clearable('<names>', 'names between the first and the last'),
  date_of_birth: clearable('<date>', 'YYYY-MM-DD'),
  personal_email: clearable('<address>', 'private e-mail address'),
  personal_phone_number: clearable('<number>', 'private phone number'),
  work_phone_number: clearable('<number>', 'work phone number'),
};
const FIRST_LINE = 'first line of the home address; replaces the whole address; empty for no address';
const ADDRESS = Object.fromEntries(
  Object.entries(optionsOf(POSTAL_ADDRESS, { address_line_1: clearable('<text>', FIRST_LINE) }).update).map(
    ([name, option]) => [`home_address_${name.replace('address_', '')}`, option],
  ),
);

/**
 * `workforce people …`: lists of people, personal profiles and pictures, which the API cannot change, and the
 * erasure of people.
 */
export const commands = {
  list: command({
    description: 'list people in the order in which they were recorded',
    options: {
      organisation: ORGANISATION,
      status: choice('<status>', 'only people of this status', PERSON_STATUSES),
      department: lookedUp('<unit>', 'only people of this unit: id, code or name', idOf(ORG_UNITS)),
      search: text(
        '<text>',
        'only people whose names, work e-mail or staff id begin with the text; without a match, similar names',
        (given) => given.trim() || undefined,
      ),
      limit: LIMIT,
    },
    run: async ({ organisation: { id }, status, department, search: q, limit }, { pool }) => {
      const query = namedFields({ status, department_id: department, q, sort: 'creation' as const });
      const found = await listDirectory(pool, id, query as DirectoryQuery, null, limit + 1);
      const people = found.map(({ person: row }) => presentPerson(row));
      return cutListOf(['people', 'person', 'people'], limit, people, {
        ID: 'id',
        NAME: 'display_name',
        'E-MAIL': 'work_email',
        TITLE: 'job_title',
        DEPARTMENT: (one) => one.department?.name,
        STATUS: 'status',
        START: 'start_date',
        END: 'end_date',
      });
    },
  }),
  show: command({
    description: 'show a person as the API does today',
    arguments: PERSON,
    options: { organisation: organisation('id or subdomain (default: found from the person)') },
    run: async ({ person: { organisation_id, person_id } }, { pool }) => {
      const presented = presentPerson((await findPerson(pool, organisation_id, person_id))!);
      return { json: presented, text: described(presented) };
    },
  }),
  'set-personal': command({
    description: "change a person's personal profile; an empty text clears a field",
    arguments: PERSON,
    options: { organisation: ORGANISATION, ...PROFILE, ...ADDRESS },
    changes: 'Nothing to set: name at least one field; --help lists them.',
    // Its output names fields, never values, because output is often stored.
    run: async (given, { send }) => {
      const { person_id, display_name: name } = given.person;
      const address = addressOf(given);
      const changes = {
        ...fieldsOf(given, PROFILE),
        ...(address === undefined ? {} : { home_address: address }),
      } as Partial<PersonalProfile>;
      const changed = await send((context) => new ChangePersonalProfile(context, person_id, changes));
      const text =
        changed.length === 0
          ? `The personal profile of ${name} is unchanged.`
          : `Changed ${changed.join(', ')} of ${name} (${person_id}).`;
      return { json: { person_id, changed }, text };
    },
  }),
  'set-avatar': command({
    description: "set a person's picture",
    arguments: PERSON,
    options: {
      organisation: ORGANISATION,
      file: required(
        text('<path>', 'a JPEG, PNG or WebP file of at most 2097152 bytes, and at most 4096 pixels wide and high'),
      ),
    },
    run: async ({ person: { person_id, display_name: name }, file }, { send }) => {
      const bytes = await pictureBytes(file);
      const { picture, changed } = await send((context) => new SetAvatar(context, person_id, bytes));
      const { content_type, byte_size, width_px, height_px } = picture;
      const about = `${content_type}, ${width_px} by ${height_px} pixels, ${byte_size} bytes`;
      return {
        json: { person_id, content_type, byte_size, width_px, height_px, changed },
        text: changed ? `Set the picture of ${name} (${person_id}): ${about}.` : `${name} already has this picture.`,
      };
    },
  }),
  'withdraw-fact': command({
    description: 'take back a change, a correction, an end or a rehire that was recorded by mistake',
    arguments: PERSON,
    options: {
      organisation: ORGANISATION,
      fact: required(text('<id>', 'the fact, as workforce timeline shows it')),
      reason: required(text('<text>', 'why, which is stored: include no personal data')),
    },
    // Its output does not contain the reason, because output is often stored.
    run: async ({ person: { person_id, display_name: name }, fact: corrects, reason: correctionReason }, { send }) => {
      const request = { type: 'withdraw', corrects, correctionReason } as const;
      const { fact } = await send((context) => new RecordFact(context, person_id, request, null));
      return {
        json: { person_id, fact_id: fact.fact_id, corrects },
        text: `Withdrew ${corrects} of ${name} (${person_id}): the earlier belief holds again. workforce timeline ${person_id} shows it.`,
      };
    },
  }),
  'mark-payroll': command({
    description: "record that a person's payroll data is present, changed or absent; never the data itself",
    arguments: PERSON,
    options: {
      organisation: ORGANISATION,
      marker: choice('<marker>', 'kind of data', PAYROLL_MARKERS),
      state: choice('<state>', 'state of the data', MARKER_STATES),
      from: text('<date>', 'first day on which it applies (default: today)'),
      withdraw: text('<id>', 'withdraw a marker that was recorded by mistake, instead of recording one'),
    },
    run: async ({ person: of, marker, state, from, withdraw }, { pool, send }) => {
      if (withdraw !== undefined && (marker ?? state ?? from) !== undefined)
        throw new UsageError('--withdraw excludes all other options: it names the marker to withdraw.');
      if (withdraw === undefined && (marker === undefined || state === undefined))
        throw new UsageError('Name --marker and --state, or --withdraw with the id of a marker.');
      const { isNew } = await send((context) =>
        withdraw === undefined
          ? new MarkPayroll(context, of.person_id, {
              marker: marker!,
              state: state!,
              effective_date: from ?? context.today,
            })
          : new WithdrawPayrollMarker(context, of.person_id, withdraw),
      );
      const outcome = await markersOf(pool, of);
      return { ...outcome, text: `${isNew ? 'Recorded.' : 'Nothing changed.'}\n\n${outcome.text}` };
    },
  }),
  'payroll-markers': command({
    description: "list a person's payroll markers",
    arguments: PERSON,
    options: { organisation: ORGANISATION },
    run: ({ person: of }, { pool }) => markersOf(pool, of),
  }),
  erase,
  erasures,
};

function described(presented: PersonResponse): string {
  const from = presented.start_date ?? 'since an unknown day';
  const lines = {
    Name: presented.display_name,
    Id: presented.id,
    'E-mail': presented.work_email,
    'Staff id': presented.staff_id,
    Status: presented.status,
    Employed: `${from}${presented.end_date === null ? '' : ` to ${presented.end_date}`}`,
    Title: presented.job_title,
    Department: presented.department?.name,
    Manager: presented.manager?.display_name,
    'Work place': presented.work_place?.label,
    'Work type': presented.work_type?.label,
    'Working pattern': presented.working_pattern?.label,
    FTE: presented.fte,
    Changed: presented.updated_at,
  };
  const known = Object.entries(lines).filter(([, value]) => value !== null && value !== undefined);
  return `${known.map(([name, value]) => `${name.padEnd(17)}${value}`).join('\n')}\n\nworkforce timeline ${presented.id} shows the employment over time.`;
}

/**
 * The whole address. Null if the first line is empty and no other part is named; undefined if no part is
 * named.
 */
function addressOf(given: object): PostalAddress | null | undefined {
  const named: Partial<Record<keyof PostalAddress, unknown>> = fieldsOf(given, ADDRESS);
  const parts = Object.values(named);
  if (parts.length === 0) return undefined;
  if (named.address_line_1 === null && parts.every((part) => !part)) return null;
  const missing = Object.entries(ADDRESS).flatMap(([name, { field }]) =>
    named[field as keyof PostalAddress] || field! in POSTAL_ADDRESS.initial ? [] : [`--${name.replaceAll('_', '-')}`],
  );
  if (missing.length > 0) throw new UsageError(`An address is replaced as a whole: add ${missing.join(', ')}.`);
  return { ...POSTAL_ADDRESS.initial, ...named } as PostalAddress;
}

/** The file's bytes. A file that is too large is refused before it is read. */
async function pictureBytes(path: string): Promise<Buffer> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new UsageError(`${path} is not a file.`);
    const rejection = byteSizeRejection(file.size);
    if (rejection !== null) throw new UsageError(rejectionSentence(rejection));
    return await readFile(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    const reason = { ENOENT: 'it does not exist', EACCES: 'permission denied' }[code] ?? code;
    throw new NotFoundError(`The file ${path} cannot be read: ${reason}.`, { cause: error });
  }
}

async function markersOf(pool: Pool, { organisation_id, person_id, display_name }: NamedPerson): Promise<Outcome> {
  const markers = await standingMarkers(pool, organisation_id, person_id);
  const columns = {
    ID: 'id',
    MARKER: 'marker',
    STATE: 'state',
    FROM: 'effective_date',
    RECORDED: 'recorded_at',
  } as const;
  return {
    json: { person_id, markers },
    text: markers.length === 0 ? `${display_name} has no payroll markers.` : tableOf(columns, markers),
  };
}
