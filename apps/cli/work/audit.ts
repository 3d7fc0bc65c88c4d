import { readFile } from 'node:fs/promises';
import { isPublicKey, type Anchor } from '#audit/anchor.js';
import { AnchorFileError, anchorFileOf, anchorsOfFile } from '#audit/anchor-file.js';
import { anchorAll, listAnchors, loadAnchorKey } from '#audit/anchor-store.js';
import { keepVerification } from '#audit/verifications.js';
import { type Verification, verifyHistory } from '#audit/verify.js';
import type { JsonObject } from '#kernel/json.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { Call, Outcome } from '../declaration.js';
import { CommandError, NotFoundError, UsageError } from '../command-error.js';
import { countInWords, countInWordsWithVerb } from '../count-in-words.js';
import { withInstallation } from '../installation.js';
import { ensureWritable, writeOutput } from '../output-file.js';
import { showProgress } from '../progress.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

/** `workforce audit verify`. */
export async function verify({ options, json }: Call): Promise<Outcome> {
  const kept = options['anchor'] === undefined ? [] : await storedAnchors(options['anchor'] as string);
  const publicKey = options['publicKey'] as string | undefined;
  if (publicKey !== undefined && !isPublicKey(publicKey))
    throw new UsageError('--public-key takes the 43 characters that workforce audit anchors list shows.');
  return withInstallation(async ({ pool, eventStore }) => {
    const organisation =
      options['organisation'] === undefined ? null : await requireOrganisation(pool, options['organisation'] as string);
    const trusted = publicKey ?? (await loadAnchorKey(pool)).publicKey;
    const total = Math.max(0, ...(await listAnchors(pool)).map(({ document }) => document.events));
    const progress = showProgress('verify', total, 'events', json);
    const onProgress = (events: number): void => progress.update(events, Math.max(events, total));
    const startedAt = new Date();
    const verification = await verifyHistory({
      pool,
      eventStore,
      projections: PROJECTIONS,
      publicKeys: [trusted],
      kept,
      organisationId: organisation?.id ?? null,
      onProgress,
    });
    progress.stop();
    await keepVerification(pool, verification, {
      startedAt,
      organisationId: organisation?.id ?? null,
      trustsOwnKey: publicKey === undefined,
    });
    return outcomeOf(verification);
  });
}

/** `workforce audit anchor`. */
export function anchor(_: Call): Promise<Outcome> {
  return withInstallation(async ({ pool, eventStore }) => {
    const made = await anchorAll({ pool, eventStore, key: await loadAnchorKey(pool) });
    const last = made.at(-1)?.document;
    const text =
      last === undefined
        ? 'Nothing was recorded since the last anchor.'
        : `Anchor ${last.number} covers ${countInWords(last.events, 'event')}. Keep a copy elsewhere: workforce audit anchors export.`;
    return { json: { anchors: made.map(anchorJson) }, text };
  });
}

/** `workforce audit anchors list`. */
export function listAll(_: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { publicKey } = await loadAnchorKey(pool);
    const anchors = await listAnchors(pool);
    const rows = anchors.map(({ document }) => [
      String(document.number),
      document.created_at,
      String(document.events),
      document.record.slice(0, 16),
    ]);
    return {
      json: { public_key: publicKey, anchors: anchors.map(anchorJson) },
      text: `${textTable(['NUMBER', 'MADE', 'EVENTS', 'DIGEST'], rows)}\n\nPublic key: ${publicKey}`,
    };
  });
}

/** `workforce audit anchors export`. */
export function exportAll({ arguments: [file], options, json }: Call): Promise<Outcome> {
  ensureWritable(file, options);
  return withInstallation(async ({ pool }) => {
    const anchors = await listAnchors(pool);
    if (anchors.length === 0) throw new NotFoundError('There is no anchor yet: workforce audit anchor makes one.');
    const { publicKey } = await loadAnchorKey(pool);
    if (file === undefined) {
      if (json)
        return {
          json: { public_key: publicKey, anchors: anchors.map(({ text, signature }) => ({ anchor: text, signature })) },
          text: '',
        };
      return { json: null, text: anchorFileOf(anchors).trimEnd() };
    }
    await writeOutput(file, anchorFileOf(anchors));
    return {
      json: { file, public_key: publicKey, anchors: anchors.length },
      text: `${countInWordsWithVerb(anchors.length, 'anchor')} in ${file}. Keep a note of the public key: ${publicKey}`,
    };
  });
}

async function storedAnchors(file: string): Promise<readonly Anchor[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
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
      ? 'There is no anchor: the end of a stream, or a whole stream, could be missing without a trace. workforce audit anchor makes one.'
      : `The last anchor is ${lastAnchor.document.number}, of ${lastAnchor.document.created_at}.`;
  const rest =
    gaps === null || gaps === 0 ? '' : `\nGaps in the numbers of the log: ${gaps}. Failed appends also leave gaps.`;
  const table = textTable(
    ['WHAT', 'STREAM', 'REVISION', 'SENTENCE'],
    findings.map(({ kind, stream, revision, message }) => [
      kind,
      stream ?? '',
      revision === null ? '' : String(revision),
      message,
    ]),
  );
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
