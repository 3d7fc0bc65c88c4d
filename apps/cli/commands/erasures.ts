import { createInterface } from 'node:readline/promises';
import { PROJECTIONS } from '#composition/registry.js';
import { ErasePerson, RequestErasure } from '#people/erasure/erasure-commands.js';
import { appendToErasureFile, writeErasureFile } from '#people/erasure/erasure-file.js';
import { findErasure, listErasures } from '#people/erasure/erasure-list.js';
import { abandonLeftRebuilds } from '#projections/rebuild/abandon-rebuild.js';
import { command } from '../command.js';
import { CommandError, UsageError } from '../command-error.js';
import { countInWordsWithVerb } from '#kernel/count-in-words.js';
import { ANY_ORGANISATION, clearable, date, flag, ORGANISATION, person, required, text } from '../options.js';
import { ensureFolder } from '../output-file.js';
import { listOf } from '../text-table.js';
import { erasureFileOf } from '../work/backup/erase-again.js';

/** `workforce people erase`. Its output contains no name, because output is often stored. */
export const erase = command({
  description: "destroy a person's personal data permanently; employment and time off stay",
  arguments: { person: required(person()) },
  options: {
    organisation: ORGANISATION,
    end_on: date('the final day of an employment that has not ended, YYYY-MM-DD: the end is recorded first'),
    reason: clearable('<text>', 'the reason, which is stored: include no personal data'),
    yes: flag('do not ask for confirmation'),
  },
  run: async (given, { installation, pool, json, send }) => {
    const { person_id, organisation_id } = given.person;
    const { end_on: endOn = null, reason = null } = given;
    const before = await findErasure(pool, organisation_id, person_id);
    // An unfinished rebuild has copies of names, and may never be resumed.
    if (before !== null && before.completed_at !== null) {
      await abandonLeftRebuilds(pool, PROJECTIONS);
      return { json: before, text: `The personal data of ${person_id} was already erased on ${before.requested_at}.` };
    }
    if (!given.yes) await confirm(person_id, json);
    const noted = await send((context) => new RequestErasure(context, { person_id, reason }, endOn));
    const file = erasureFileOf(installation.configuration);
    if (file !== null) await appendToErasureFile(file, noted);
    const erasure = await send((context) => new ErasePerson(context, noted));
    await abandonLeftRebuilds(pool, PROJECTIONS);
    return {
      json: erasure,
      text: `The personal data of ${person_id} is erased. Earlier backups still contain it: a restore with the list of erasures erases it again.`,
    };
  },
});

/** `workforce people erasures`. */
export const erasures = command({
  description: 'list erasures of personal data: of which person, by which actor and why',
  options: {
    organisation: ANY_ORGANISATION,
    export: text('<file>', 'write the list of all organisations to a file, for a restore'),
  },
  run: async ({ organisation, export: path }, { pool }) => {
    const found = await listErasures(pool, organisation?.id ?? null);
    if (path === undefined)
      return listOf('erasures', found, {
        REQUESTED: 'requested_at',
        PERSON: 'person_id',
        ORGANISATION: 'organisation_id',
        BY: ({ actor }) => `${actor.type} ${actor.id}`,
        FINISHED: (one) => one.completed_at ?? 'no: run the erasure again',
        REASON: 'reason',
      });
    ensureFolder(path);
    if (organisation !== undefined)
      throw new UsageError('--export writes the erasures of all organisations: leave out --organisation.');
    await writeErasureFile(path, found);
    return {
      json: { file: path, erasures: found.length },
      text: `${countInWordsWithVerb(found.length, 'erasure')} in ${path}.`,
    };
  },
});

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
