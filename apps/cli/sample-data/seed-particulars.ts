import { SetAvatar } from '#people/picture/avatar.api.js';
import { SetPersonCustomFields } from '#people/custom-field-value/custom-field-value.api.js';
import { RecordDocument } from '#people/document/document.api.js';
import { nameKey } from '#kernel/names.js';
import { ChangePersonalProfile } from '#people/profile/personal-profile.api.js';
import { CreateProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { findTimeOff } from '#time-off/records/read-time-off.js';
import { CreateTimeOff, StepTimeOff, type TimeOffStep } from '#time-off/requests/request-time-off.js';
import { AdjustBalance } from '#time-off/balances/adjust-balance.js';
import type { Absence } from './absences.js';
import type { MadeAdjustment } from './adjustments.js';
import type { SampleMapping, SampleDocument, Particulars } from './particulars.js';
import { portrait } from './picture.js';
import { ANNUAL_LEAVE } from './policies.js';
import type { Settings } from './seed-settings.js';
import type { StepContext } from './steps.js';

/** A person to be filled in. */
export interface SeededPerson {
  readonly personId: string;
  /** Identifies the person; chooses the picture. */
  readonly number: number;
  readonly particulars: Particulars;
  readonly absences: readonly Absence[];
  readonly adjustments: readonly MadeAdjustment[];
}

/** What it is done with; the contexts are the person's own. */
export interface SeedServices extends StepContext {
  readonly settings: Settings;
}

/** Records what is kept of a person besides employment, by the usual commands. */
export async function seedParticulars(seedServices: SeedServices, person: SeededPerson): Promise<void> {
  const { personId, particulars, absences, adjustments } = person;
  await seedProfile(seedServices, person);
  for (const document of particulars.documents) await addDocument(seedServices, personId, document);
  for (const mapping of particulars.mappings) await mapPerson(seedServices, personId, mapping);
  for (const adjustment of adjustments) await adjust(seedServices, personId, adjustment);
  for (const [index, absence] of absences.entries()) {
    const record = { personId, absence, name: String(index) };
    await requestAbsence(seedServices, record);
    for (const step of absence.steps) await stepAbsence(seedServices, record, step);
  }
}

/** Records profile, picture and custom values. */
export async function seedProfile(
  seedServices: SeedServices,
  { personId, number, particulars }: Pick<SeededPerson, 'personId' | 'number' | 'particulars'>,
): Promise<void> {
  const { send, contextOf } = seedServices;
  const { profile, values, hasPicture } = particulars;
  if (profile !== null) await send(new ChangePersonalProfile(contextOf('profile'), personId, profile));
  if (hasPicture) await send(new SetAvatar(contextOf('picture'), personId, portrait(number)));
  await setValues(seedServices, personId, values);
}

async function setValues(
  { send, contextOf, settings }: SeedServices,
  personId: string,
  values: Particulars['values'],
): Promise<void> {
  const named = Object.entries(values).map(([key, value]) => ({ field_id: settings.customFields.get(key)!, value }));
  if (named.length > 0) await send(new SetPersonCustomFields(contextOf('custom fields'), personId, named));
}

export async function addDocument(
  { send, contextOf, settings }: SeedServices,
  personId: string,
  document: SampleDocument,
): Promise<void> {
  const metadata = {
    name: document.name,
    document_type_id: settings.documentTypes.get(nameKey(document.type))!,
    content_type: 'application/pdf',
    byte_size: document.byteSize,
    issued_on: document.issuedOn,
    expires_on: document.expiresOn,
  };
  await send(new RecordDocument(contextOf('document', document.type), personId, metadata));
}

export async function mapPerson(
  { send, contextOf }: SeedServices,
  personId: string,
  { provider, ...terms }: SampleMapping,
): Promise<void> {
  const mapping = { provider_name: provider, resource_type: 'person', resource_id: personId, ...terms } as const;
  await send(new CreateProviderMapping(contextOf('mapping', provider), mapping));
}

/** One record of a person's time off; the name tells it from the person's others. */
export interface SeededAbsence {
  readonly personId: string;
  readonly absence: Absence;
  readonly name: string;
}

/** Requests time off. */
export async function requestAbsence(
  { send, contextOf, settings }: SeedServices,
  { personId, absence: { category, dates }, name }: SeededAbsence,
): Promise<void> {
  const requested = { ...dates, person_id: personId, category_id: settings.categories.get(nameKey(category))! };
  await send(new CreateTimeOff(contextOf('time off', name), requested));
}

/** Approves, declines or cancels time off that was requested. */
export async function stepAbsence(
  { send, pool, mint, contextOf }: SeedServices,
  { personId, name }: SeededAbsence,
  step: TimeOffStep,
): Promise<void> {
  const { organisationId, seed } = contextOf('time off', name);
  const made = await findTimeOff(pool, organisationId, mint.prefixed('timeOff', organisationId, ...seed));
  if (made === null) throw new Error(`the time off ${name} of ${personId} was not requested`);
  await send(new StepTimeOff(contextOf('time off', name, step), made.id, step, null));
}

export async function adjust(
  { send, contextOf, settings }: SeedServices,
  personId: string,
  { minutes, on, reason, isReversed }: MadeAdjustment,
): Promise<void> {
  const terms = {
    category_id: settings.categories.get(nameKey(ANNUAL_LEAVE))!,
    effective_date: on,
    reason_code: reason,
  };
  const adjustment = { ...terms, amount_minutes: minutes, reverses: null };
  const { adjustment_id: reverses } = await send(new AdjustBalance(contextOf('adjustment'), personId, adjustment));
  if (isReversed)
    await send(new AdjustBalance(contextOf('reversal'), personId, { ...terms, amount_minutes: -minutes, reverses }));
}
