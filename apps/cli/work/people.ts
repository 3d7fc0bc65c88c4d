import { open } from 'node:fs/promises';
import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { namedFields } from '#kernel/json.js';
import { SetAvatar } from '#people/picture/avatar.api.js';
import { byteSizeRejection } from '#people/picture/avatar.rules.js';
import { ChangePersonalProfile } from '#people/profile/personal-profile.api.js';
import type { PostalAddress } from '#organisation/country/postal-address.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { textOrNull } from '../options.js';
import { rejectionSentence } from '../rejection-sentence.js';
import { sendAsOperator } from '../send-as-operator.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

/** `workforce people set-personal`. Its output names fields, never values, because output is often kept. */
export function setPersonal(call: Call): Promise<Outcome> {
  const changes = profileOf(call.options);
  if (Object.keys(changes).length === 0)
    throw new UsageError('Nothing to set: name at least one field; --help lists them.');
  const commandOf = (context: CommandContext, personId: string) =>
    new ChangePersonalProfile(context, personId, changes);
  return ofPerson(call, commandOf, (changed, { person_id: personId, display_name: name }) => ({
    json: { person_id: personId, changed },
    text:
      changed.length === 0
        ? `The personal profile of ${name} is unchanged.`
        : `Changed ${changed.join(', ')} of ${name} (${personId}).`,
  }));
}

/** `workforce people set-avatar`. */
export async function setPicture(call: Call): Promise<Outcome> {
  const bytes = await pictureBytes(call.options['file'] as string);
  const commandOf = (context: CommandContext, personId: string) => new SetAvatar(context, personId, bytes);
  return ofPerson(call, commandOf, ({ picture, changed }, { person_id: personId, display_name: name }) => {
    const { content_type, byte_size, width_px, height_px } = picture;
    const described = `${content_type}, ${width_px} by ${height_px} pixels, ${byte_size} bytes`;
    const text = changed
      ? `Set the picture of ${name} (${personId}): ${described}.`
      : `${name} already has this picture.`;
    return { json: { person_id: personId, content_type, byte_size, width_px, height_px, changed }, text };
  });
}

function ofPerson<Result>(
  call: Call,
  commandOf: (context: CommandContext, personId: string) => Command<Result>,
  present: (result: Result, person: Awaited<ReturnType<typeof requirePerson>>) => Outcome,
): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const person = await requirePerson(installation.pool, call.arguments[0]!, organisation.id);
    return present(
      await sendAsOperator(installation, organisation, (context) => commandOf(context, person.person_id)),
      person,
    );
  });
}

/** The fields that the operator named; null for those that are cleared. */
function profileOf(options: Call['options']): Partial<PersonalProfile> {
  const fields = {
    middle_names: textOrNull(options['middleNames']),
    date_of_birth: textOrNull(options['dateOfBirth']),
    personal_email: textOrNull(options['personalEmail']),
    personal_phone_number: textOrNull(options['personalPhoneNumber']),
    work_phone_number: textOrNull(options['workPhoneNumber']),
    home_address: addressOf(options),
  };
  return namedFields(fields) as Partial<PersonalProfile>;
}

/**
 * The whole address. Null if the first line is empty and no other part is named; undefined if no part is
 * named.
 */
function addressOf(options: Call['options']): PostalAddress | null | undefined {
  const named = {
    line1: textOrNull(options['homeAddressLine1']),
    line2: textOrNull(options['homeAddressLine2']),
    line3: textOrNull(options['homeAddressLine3']),
    city: textOrNull(options['homeAddressCity']),
    region: textOrNull(options['homeAddressRegionState']),
    postalCode: textOrNull(options['homeAddressPostalCode']),
    country: textOrNull(options['homeAddressCountry']),
  };
  if (Object.values(named).every((value) => value === undefined)) return undefined;
  if (named.line1 === null && Object.values(named).every((value) => (value ?? null) === null)) return null;
  const missing = [
    ...(named.line1 ? [] : ['--home-address-line-1']),
    ...(named.city ? [] : ['--home-address-city']),
    ...(named.country ? [] : ['--home-address-country']),
  ];
  if (missing.length > 0) throw new UsageError(`An address is replaced as a whole: add ${missing.join(', ')}.`);
  return {
    address_line_1: named.line1!,
    address_line_2: named.line2 ?? null,
    address_line_3: named.line3 ?? null,
    city: named.city!,
    region_state: named.region ?? '',
    postal_code: named.postalCode ?? '',
    country_code: named.country!,
  };
}

/** The file's bytes. A file that is too large is refused before it is read. */
async function pictureBytes(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw new NotFoundError(`The file ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  });
  try {
    const state = await file.stat();
    if (!state.isFile()) throw new UsageError(`${path} is not a file.`);
    const rejection = byteSizeRejection(state.size);
    if (rejection !== null) throw new UsageError(rejectionSentence(rejection));
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (code === 'ENOENT') return 'it does not exist';
  return code === 'EACCES' ? 'permission denied' : String(code);
}
