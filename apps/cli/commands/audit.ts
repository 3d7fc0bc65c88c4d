import { readFileSync } from 'node:fs';
import { isPublicKey, type Anchor } from '#audit/anchor.js';
import { AnchorFileError, anchorFileOf, anchorsOfFile } from '#audit/anchor-file.js';
import { anchorAll, listAnchors, loadAnchorKey } from '#audit/anchor-store.js';
import { keepVerification } from '#audit/verifications.js';
import { type Verification, verifyHistory } from '#audit/verify.js';
import type { JsonObject } from '#kernel/json.js';
import { PROJECTIONS } from '#composition/registry.js';
import { command, group } from '../command.js';
import type { Outcome } from '../declaration.js';
import { CommandError, NotFoundError, UsageError } from '../command-error.js';
import { countInWords, countInWordsWithVerb } from '#kernel/count-in-words.js';
import { ensureWritable, FORCE, writeOutput } from '../output-file.js';
import { organisation, text } from '../options.js';
import { showProgress } from '../progress.js';
import { type Columns, tableOf } from '../text-table.js';
import { report } from './audit-report.js';

/** `workforce audit …`: the verification of history, and the report of changes. */
export const commands = {
  verify: command({
    description:
      'verify the hash chain of every stream, and everything that anchors cover; exit code 1 if there are findings',
    options: {
      organisation: organisation('report only this organisation: id or subdomain'),
      anchor: text(
        '<file>',
        'also compare history with anchors kept elsewhere: a file that workforce audit anchors export wrote',
        storedAnchors,
      ),
      public_key: text(
        '<key>',
        'the public key that anchors must be signed with, from your own records (default: the key in the database)',
        publicKeyOf,
      ),
    },
    run: async ({ organisation: only, anchor: exported = [], public_key: publicKey }, { installation, json }) => {
      const { pool, eventStore } = installation;
      const trusted = publicKey ?? (await loadAnchorKey(pool)).publicKey;
      const total = Math.max(0, ...(await listAnchors(pool)).map(({ document }) => document.events));
      const progress = showProgress('verify', total, 'events', json);
      const onProgress = (events: number): void => progress.update(events, Math.max(events, total));
      const startedAt = new Date();
      const organisationId = only?.id ?? null;
      const verification = await verifyHistory({
        pool,
        eventStore,
        projections: PROJECTIONS,
        publicKeys: [trusted],
        exported,
        organisationId,
        onProgress,
      });
      progress.stop();
      await keepVerification(pool, verification, { startedAt, organisationId, trustsOwnKey: publicKey === undefined });
      return outcomeOf(verification);
    },
  }),
  anchor: command({
    description: 'sign a digest of all events since the last anchor; the worker also does this daily',
    run: async (_, { installation: { pool, eventStore } }) => {
      const made = await anchorAll({ pool, eventStore, key: await loadAnchorKey(pool) });
      const last = made.at(-1)?.document;
      const text =
        last === undefined
          ? 'Nothing was recorded since the last anchor.'
          : `Anchor ${last.number} covers ${countInWords(last.events, 'event')}. Keep a copy elsewhere: workforce audit anchors export.`;
      return { json: { anchors: made.map(anchorJson) }, text };
    },
  }),
  anchors: group('show and export the signed digests', {
    list: command({
      description: 'list the anchors and the public key that verifies them',
      run: async (_, { pool }) => {
        const { publicKey } = await loadAnchorKey(pool);
        const anchors = await listAnchors(pool);
        const columns: Columns<Anchor> = {
          NUMBER: ({ document }) => document.number,
          MADE: ({ document }) => document.created_at,
          EVENTS: ({ document }) => document.events,
          DIGEST: ({ document }) => document.record.slice(0, 16),
        };
        return {
          json: { public_key: publicKey, anchors: anchors.map(anchorJson) },
          text: `${tableOf(columns, anchors)}\n\nPublic key: ${publicKey}`,
        };
      },
    }),
    export: command({
      description: 'write all anchors to a file, which you keep outside this installation',
      arguments: { file: text('', 'file to write (default: standard output)') },
      options: { force: FORCE },
      check: ({ file, force }) => ensureWritable(file as string | undefined, force === true),
      run: async ({ file }, { pool, json }) => {
        const anchors = await listAnchors(pool);
        if (anchors.length === 0) throw new NotFoundError('There is no anchor yet: workforce audit anchor makes one.');
        const { publicKey: public_key } = await loadAnchorKey(pool);
        if (file === undefined && !json) return { json: null, text: anchorFileOf(anchors).trimEnd() };
        if (file === undefined) {
          const texts = anchors.map(({ text: anchor, signature }) => ({ anchor, signature }));
          return { json: { public_key, anchors: texts }, text: '' };
        }
        await writeOutput(file, anchorFileOf(anchors));
        return {
          json: { file, public_key, anchors: anchors.length },
          text: `${countInWordsWithVerb(anchors.length, 'anchor')} in ${file}. Keep a note of the public key: ${public_key}`,
        };
      },
    }),
  }),
  report,
};

function publicKeyOf(given: string): string {
  if (isPublicKey(given)) return given;
  throw new UsageError('--public-key takes the 43 characters that workforce audit anchors list shows.');
}

function storedAnchors(file: string): readonly Anchor[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new NotFoundError(`${file} cannot be read: name a file that workforce audit anchors export wrote.`);
  }
  try {
    return anchorsOfFile(text);
  } catch (error) {
    if (error instanceof AnchorFileError) throw new CommandError(error.message);
    throw error;
  }
}

function anchorJson({ document, signature }: Anchor): JsonObject {
  return { ...(document as unknown as JsonObject), signature };
}

function outcomeOf({ events, streams, lastAnchor, anchored, findings, found, gaps }: Verification): Outcome {
  const read = `${countInWords(events, 'event')} of ${countInWords(streams, 'stream')} were read; anchors cover ${anchored} of them.`;
  const cover =
    lastAnchor === null
      ? 'There is no anchor: the end of a stream, or a whole stream, could be missing without a trace. workforce ' +
        'audit anchor makes one.'
      : `The last anchor is ${lastAnchor.document.number}, of ${lastAnchor.document.created_at}.`;
  const rest =
    gaps === null || gaps === 0 ? '' : `\nGaps in the numbers of the log: ${gaps}. Failed appends also leave gaps.`;
  const table = tableOf({ WHAT: 'kind', STREAM: 'stream', REVISION: 'revision', SENTENCE: 'message' }, findings);
  const verdict =
    found === 0
      ? 'History is unaltered.'
      : `${table}\n\nHistory was altered: ${found} ${found === 1 ? 'finding' : 'findings'}${found > findings.length ? `, of which the first ${findings.length} are shown` : ''}.`;
  return {
    json: {
      ok: found === 0,
      events,
      streams,
      anchored_events: anchored,
      last_anchor: lastAnchor?.document.number ?? null,
      gaps,
      found,
      findings: findings as unknown as readonly JsonObject[],
    },
    text: `${verdict}\n${read}\n${cover}${rest}`,
    exitCode: found === 0 ? 0 : 1,
  };
}
