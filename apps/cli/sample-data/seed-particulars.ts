import type { CommandServices } from '#commands/services.js';
import { setAvatar } from '#resources/people/avatar/avatar.commands.js';
import { setCustomFieldValues } from '#resources/people/custom-field-value/custom-field-value.commands.js';
import { findPersonValues } from '#resources/people/custom-field-value/custom-field-value.queries.js';
import { recordDocument } from '#resources/people/document/document.commands.js';
import { nameKey } from '#resources/naming/name-key.js';
import { changePersonalProfile } from '#resources/people/personal-profile/personal-profile.commands.js';
import { createProviderMapping } from '#resources/integration/provider-mapping/provider-mapping.commands.js';
import { findTimeOff } from '#resources/time-off/records/time-off.queries.js';
import { requestTimeOff, stepTimeOff, type TimeOffStep } from '#resources/time-off/requests/time-off.commands.js';
import { adjustBalance } from '#resources/time-off/balances/ledger.commands.js';
import type { Absence } from './absences.js';
import type { MadeAdjustment } from './adjustments.js';
import type { SampleMapping, SampleDocument, Particulars } from './particulars.js';
import { portrait } from './picture.js';
import { ANNUAL_LEAVE } from './policies.js';
import type { ContextOf } from './seed-context.js';
import type { Settings } from './seed-settings.js';

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
export interface SeedServices {
  readonly services: CommandServices;
  readonly contextOf: ContextOf;
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
  const { services, contextOf } = seedServices;
  const { profile, values, hasPicture } = particulars;
  if (profile !== null) await changePersonalProfile(services, contextOf('profile'), personId, profile);
  if (hasPicture) await setAvatar(services, contextOf('picture'), personId, portrait(number));
  await setValues(seedServices, personId, values);
}

async function setValues({ services, contextOf, settings }: SeedServices, personId: string, values: Particulars['values']): Promise<void> {
  const context = contextOf('custom fields');
  const named = Object.entries(values).map(([key, value]) => ({ field_id: settings.customFields.get(key)!, value }));
  if (named.length === 0) return;
  const known = await findPersonValues(services.executor, context.organisationId, personId);
  await setCustomFieldValues(services, context, known!, { values: named, writer: { type: 'operator' } });
}

export async function addDocument(
  { services, contextOf, settings }: SeedServices,
  personId: string,
  document: SampleDocument,
): Promise<void> {
  await recordDocument(services, contextOf('document', document.type), personId, {
    name: document.name,
    document_type_id: settings.documentTypes.get(nameKey(document.type))!,
    content_type: 'application/pdf',
    byte_size: document.byteSize,
    issued_on: document.issuedOn,
    expires_on: document.expiresOn,
  });
}

export async function mapPerson(
  { services, contextOf }: SeedServices,
  personId: string,
  { provider, ...terms }: SampleMapping,
): Promise<void> {
  await createProviderMapping(services, contextOf('mapping', provider), {
    provider_name: provider,
    resource_type: 'person',
    resource_id: personId,
    ...terms,
  });
}

/** One record of a person's time off; the name tells it from the person's others. */
export interface SeededAbsence {
  readonly personId: string;
  readonly absence: Absence;
  readonly name: string;
}

/** Requests time off. */
export async function requestAbsence(
  { services, contextOf, settings }: SeedServices,
  { personId, absence: { category, dates }, name }: SeededAbsence,
): Promise<void> {
  const wanted = { ...dates, person_id: personId, category_id: settings.categories.get(nameKey(category))! };
  await requestTimeOff(services, contextOf('time off', name), wanted);
}

/** Approves, declines or cancels time off that was requested. */
export async function stepAbsence(
  { services, contextOf }: SeedServices,
  { personId, name }: SeededAbsence,
  step: TimeOffStep,
): Promise<void> {
  const { organisationId, seed } = contextOf('time off', name);
  const made = await findTimeOff(services.executor, organisationId, services.mint.prefixed('timeOff', organisationId, ...seed));
  if (made === null) throw new Error(`the time off ${name} of ${personId} was not requested`);
  await stepTimeOff(services, contextOf('time off', name, step), made.id, step);
}

export async function adjust(
  { services, contextOf, settings }: SeedServices,
  personId: string,
  { minutes, on, reason, isReversed }: MadeAdjustment,
): Promise<void> {
  const terms = { category_id: settings.categories.get(nameKey(ANNUAL_LEAVE))!, effective_date: on, reason_code: reason };
  const made = await adjustBalance(services, contextOf('adjustment'), personId, { ...terms, amount_minutes: minutes, reverses: null });
  if (isReversed)
    await adjustBalance(services, contextOf('reversal'), personId, { ...terms, amount_minutes: -minutes, reverses: made.adjustment_id });
}
