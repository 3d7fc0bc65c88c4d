import { createInterface } from 'node:readline/promises';
import { join } from 'node:path';
import type { Configuration } from '#configuration/configuration.js';
import { dataDirectoryPath } from '#embedded-postgres/data-directory.js';
import { isLocalDate, type LocalDate } from '#kernel/dates.js';
import type { JsonObject } from '#kernel/json.js';
import { abandonLeftRebuilds } from '#projections/rebuild/abandon-rebuild.js';
import { ErasePerson, RequestErasure } from '#people/erasure/erasure-commands.js';
import { appendToErasureFile, writeErasureFile } from '#people/erasure/erasure-file.js';
import { type Erasure, findErasure, listErasures } from '#people/erasure/erasure-list.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { Call, Outcome } from '../declaration.js';
import { CommandError, UsageError } from '../command-error.js';
import { type Installation, withInstallation } from '../installation.js';
import { textOrNull } from '../options.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation, requirePerson } from '../find-named.js';
import { countInWordsWithVerb } from '../count-in-words.js';
import { ensureFolder } from '../output-file.js';

/**
 * Of the embedded database: the list of erasures next to it, which outlives a restore. Null where the
 * database is elsewhere.
 */
export function erasureFileOf(configuration: Configuration): string | null {
  return configuration.databaseUrl === null
    ? join(dataDirectoryPath(configuration.dataDirectory), 'erasures.ndjson')
    : null;
}

/** `workforce people erase`. Its output names no person, because output is often kept. */
export function eraseOne(call: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const { pool, configuration } = installation;
    const organisation = await requireOrganisation(pool, call.options['organisation'] as string);
    const { person_id: personId } = await requirePerson(pool, call.arguments[0]!, organisation.id);
    const before = await findErasure(pool, organisation.id, personId);
    const isDone = before !== null && before.completed_at !== null;
    // An unfinished rebuild has copies of names, and may never be resumed.
    if (isDone) {
      await abandonLeftRebuilds(pool, PROJECTIONS);
      return outcomeOf(before, `The personal data of ${personId} was already erased on ${before.requested_at}.`);
    }
    const endOn = finalDayOf(call.options['endOn'] as string | undefined);
    if (call.options['yes'] !== true) await confirm(personId, call.json);
    const requested = { person_id: personId, reason: textOrNull(call.options['reason']) ?? null };
    const noted = await sendAsOperator(
      installation,
      organisation,
      (context) => new RequestErasure(context, requested, endOn),
    );
    const file = erasureFileOf(configuration);
    if (file !== null) await appendToErasureFile(file, noted);
    const erasure = await sendAsOperator(installation, organisation, (context) => new ErasePerson(context, noted));
    await abandonLeftRebuilds(pool, PROJECTIONS);
    return outcomeOf(
      erasure,
      `The personal data of ${personId} is erased. Earlier backups still contain it: a restore with the list of erasures erases it again.`,
    );
  });
}

/** `workforce people erasures`. */
export function showErasures(call: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }: Installation) => {
    const named = call.options['organisation'] as string | undefined;
    const organisation = named === undefined ? null : await requireOrganisation(pool, named);
    const erasures = await listErasures(pool, organisation?.id ?? null);
    const path = call.options['export'] as string | undefined;
    if (path !== undefined) {
      ensureFolder(path);
      if (organisation !== null)
        throw new UsageError('--export writes the erasures of all organisations: leave out --organisation.');
      await writeErasureFile(path, erasures);
      return {
        json: { file: path, erasures: erasures.length },
        text: `${countInWordsWithVerb(erasures.length, 'erasure')} in ${path}.`,
      };
    }
    const text = textTable(
      ['REQUESTED', 'PERSON', 'ORGANISATION', 'BY', 'FINISHED', 'REASON'],
      erasures.map((one) => [
        one.requested_at,
        one.person_id,
        one.organisation_id,
        `${one.actor.type} ${one.actor.id}`,
        one.completed_at ?? 'no: run the erasure again',
        one.reason ?? '',
      ]),
    );
    return { json: { erasures: erasures as unknown as JsonObject[] }, text };
  });
}

function finalDayOf(named: string | undefined): LocalDate | null {
  if (named === undefined) return null;
  if (!isLocalDate(named)) throw new UsageError(`${named} is not a date: --end-on takes YYYY-MM-DD.`);
  return named;
}

function outcomeOf(erasure: Erasure, text: string): Outcome {
  return { json: erasure as unknown as JsonObject, text };
}

/** An erasure cannot be undone: on a terminal the operator types the id; elsewhere --yes confirms it. */
async function confirm(personId: string, json: boolean): Promise<void> {
  if (json || !process.stdin.isTTY) throw new UsageError('An erasure cannot be undone: confirm it with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question(
      `This destroys the personal data of ${personId} permanently. Type ${personId} to continue: `,
    );
    if (typed.trim() !== personId) throw new CommandError('Nothing was erased.');
  } finally {
    terminal.close();
  }
}
