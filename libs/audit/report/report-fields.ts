import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import { ERASED } from '#kernel/erasure.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { openValue } from '#people/custom-field-value/custom-field-value.js';
import { openProfileEvent, type SealedProfileEvent } from '#people/profile/personal-profile.js';
import { openJson } from '#people/person/person-seal.js';

/** A field of an event, and its value. */
export interface ReportedField {
  readonly name: string;
  readonly value: string;
}

/**
 * How encrypted values are reported: left encrypted, or decrypted with the person's key, which is null after
 * erasure.
 */
export type Opening = { readonly open: false } | { readonly open: true; readonly key: Buffer | null };

/** Replaces a value that is not decrypted. */
const SEALED = '[sealed]';
/** Replaces a value that is never shown. */
export const SECRET = '[secret]';
/** The fields of an event without any: the report contains only the event itself. */
const NOTHING: readonly ReportedField[] = [{ name: '', value: '' }];
/** The keys of an event's data whose objects contain the changed fields. */
const WRAPPERS = new Set(['changes', 'profile', 'terms', 'entry', 'values']);
/** The fields whose values are never reported. */
const SECRETS = new Set(['secret', 'secret_hash', 'previous_secret']);
/** Fields that have columns of their own in the report. */
const ELSEWHERE = new Set(['correction_reason', 'corrects', 'reverses', 'time_off_id', 'adjustment_id']);

/** The fields of an event of this category, in the order in which they were recorded. */
export function fieldsOf(
  category: string,
  event: Pick<RecordedEvent, 'type' | 'data'>,
  opening: Opening,
): readonly ReportedField[] {
  const fields = [...statesAfter(event), ...flattened(opened(category, event, opening))];
  return fields.length === 0 ? NOTHING : fields;
}

/** The fields that follow from an event's type alone. */
const STATES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TimeOffApproved: { status: 'approved' },
  TimeOffRejected: { status: 'rejected' },
  TimeOffCancelled: { status: 'cancelled' },
  TimeOffCategoryCreated: { status: 'active' },
  TimeOffCategoryArchived: { status: 'archived' },
  OrgUnitCreated: { status: 'active' },
  OrgUnitArchived: { status: 'archived' },
  OrgUnitReactivated: { status: 'active' },
  WorkingPatternCreated: { status: 'active' },
  WorkingPatternArchived: { status: 'archived' },
  LocationCreated: { status: 'active' },
  LocationDeactivated: { status: 'inactive' },
  LocationReactivated: { status: 'active' },
  DictionaryEntryCreated: { status: 'active' },
  DictionaryEntryDeactivated: { status: 'inactive' },
  DictionaryEntryReactivated: { status: 'active' },
  OrganisationCreated: { writes_approved: 'false' },
  OrganisationWritesApproved: { writes_approved: 'true' },
  OrganisationWritesRevoked: { writes_approved: 'false' },
  PersonErased: { status: 'erased' },
  DocumentRemoved: { status: 'removed' },
  ProviderMappingRemoved: { status: 'removed' },
  WebhookCreated: { status: 'active' },
  WebhookEnabled: { status: 'active' },
  WebhookDisabled: { status: 'disabled' },
  WebhookDeleted: { status: 'deleted' },
  ApiKeyCreated: { status: 'active' },
  ApiKeyRevoked: { status: 'revoked' },
  UserInvited: { status: 'active' },
  UserRegistered: { status: 'active' },
  UserSignedIn: { status: 'active' },
  UserDeactivated: { status: 'deactivated' },
  UserReactivated: { status: 'active' },
  UserErased: { status: 'erased' },
  DirectRunAllowed: { direct_run: 'allowed' },
  DirectRunWithdrawn: { direct_run: 'withdrawn' },
  EmploymentTookEffect: { effect: 'shown' },
  EmploymentTookEffectAgain: { effect: 'shown' },
  EmploymentEffectTakenBack: { effect: 'taken back' },
  WriteProposed: { status: 'pending' },
  WriteProposalApproved: { status: 'approved' },
  WriteProposalRejected: { status: 'rejected' },
  WriteProposalCancelled: { status: 'cancelled' },
  WriteProposalExpired: { status: 'expired' },
  WriteProposalApplied: { status: 'applied' },
  WriteProposalOvertaken: { status: 'overtaken' },
};

/** Invitations from before sign-ins were recorded have no such state: they created active users. */
function statesAfter({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): readonly ReportedField[] {
  if (type === 'UserInvited' && data['awaits_sign_in'] === true) return [{ name: 'status', value: 'invited' }];
  return Object.entries(STATES[type] ?? {}).map(([name, value]) => ({ name, value }));
}

/**
 * The member of an event that identifies one of several items in its stream: a person's calendar has many
 * records.
 */
const ITEM_IDS: Readonly<Record<string, string>> = {
  'time-off': 'time_off_id',
  'time-off-balance': 'adjustment_id',
  'employment-effect': 'fact_id',
  'mcp-policy': 'operation',
  'public-holidays': 'date',
  'payroll-markers': 'marker',
};

/** The id of the item in a stream that an event concerns; null for a stream of a single item. */
export function itemOf({ stream, data }: Pick<RecordedEvent, 'stream' | 'data'>): string | null {
  const name = ITEM_IDS[categoryOf(stream)];
  const item = name === undefined ? undefined : data[name];
  return typeof item === 'string' ? item : null;
}

/** The categories whose items are resources, rather than parts of the stream's resource. */
const RECORDS: ReadonlySet<string> = new Set(['time-off', 'time-off-balance']);

/**
 * The id of the resource that an event concerns: the record's, if a stream contains the records of a person;
 * otherwise the stream's own.
 */
export function resourceIdOf(event: Pick<RecordedEvent, 'stream' | 'data'>): string {
  const { stream } = event;
  return (RECORDS.has(categoryOf(stream)) ? itemOf(event) : null) ?? partsOfStream(stream).entityId;
}

function opened(category: string, event: Pick<RecordedEvent, 'type' | 'data'>, opening: Opening): JsonObject {
  const { data } = event;
  switch (category) {
    case 'person': {
      if (!opening.open) return { identity: SEALED };
      return opening.key === null
        ? { identity: ERASED }
        : (openJson(data['sealed'] as string, opening.key) as JsonObject);
    }
    case 'personal-profile': {
      if (opening.open && opening.key !== null)
        return openProfileEvent(event as SealedProfileEvent, opening.key).data.changes as JsonObject;
      return each(data['sealed'] as JsonObject, () => hidden(opening));
    }
    case 'person-custom-fields':
      return each(data['values'] as JsonObject, (sealed, id) =>
        opening.open && opening.key !== null ? openValue(id, sealed as string, opening.key) : hidden(opening),
      );
    case 'time-off':
      return unsealed('note', data, opening);
    case 'document':
      return unsealed('name', changesOf(data), opening);
    case 'provider-mapping':
      return unsealed('external_id', changesOf(data), opening);
    case 'user':
      return ofUser(data, opening);
    case 'write-proposal':
      return ofProposal(data, opening);
    default:
      return data;
  }
}

function hidden({ open }: Opening): string {
  return open ? ERASED : SEALED;
}

/** Null stays null: the report shows that a value was cleared. */
function each(values: JsonObject, change: (value: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? null : change(value, name)]),
  );
}

/** The fields of an event; for a change, only the changed ones. */
function changesOf(data: JsonObject): JsonObject {
  return data['changes'] === undefined ? data : (data['changes'] as JsonObject);
}

function unsealed(name: string, { [`sealed_${name}`]: sealed, ...rest }: JsonObject, opening: Opening): JsonObject {
  if (sealed === undefined) return rest;
  return {
    [name]: opening.open && opening.key !== null ? openJson(sealed as string, opening.key) : hidden(opening),
    ...rest,
  };
}

/** The proposed values are encrypted together. */
function ofProposal({ sealed, ...rest }: JsonObject, opening: Opening): JsonObject {
  return sealed === undefined ? rest : unsealed('content', { ...rest, sealed_content: sealed }, opening);
}

function ofUser({ sealed, ...rest }: JsonObject, opening: Opening): JsonObject {
  return sealed === undefined ? rest : unsealed('email', { ...rest, sealed_email: sealed }, opening);
}

function flattened(data: JsonObject, prefix = ''): readonly ReportedField[] {
  return Object.entries(data).flatMap(([name, value]): readonly ReportedField[] => {
    if (ELSEWHERE.has(name)) return [];
    if (SECRETS.has(name)) return [{ name: prefix + name, value: SECRET }];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return flattened(value as JsonObject, prefix === '' && WRAPPERS.has(name) ? '' : `${prefix}${name}.`);
    }
    return [{ name: prefix + name, value: textOf(value) }];
  });
}

function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
