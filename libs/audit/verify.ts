import type { Pool } from 'pg';
import type { EventStore, LogEvidence } from '#event-store/event-store.js';
import type { Projection } from '#projections/projection.js';
import type { Anchor } from './anchor.js';
import { reliableAnchors, takeRecords } from './anchor-check.js';
import { listAnchors, recordsOfAnchor } from './anchor-store.js';
import { ExpectedHistory } from './expected-history.js';
import { type Finding, Findings } from './findings.js';
import { HistoryCheck } from './history-check.js';
import { pagesOfLog } from '#event-store/pages-of-log.js';
import { findRowsAhead } from './read-table-evidence.js';
import { Recount } from './recount.js';

/** What verifying needs, and what is asked. */
export interface VerifyParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projections: readonly Projection[];
  /** Keys that anchors may be signed with. */
  readonly publicKeys: readonly string[];
  /** Anchors that were kept elsewhere. */
  readonly kept?: readonly Anchor[];
  /** The report covers only the streams of this organisation; everything is read either way. */
  readonly organisationId?: string | null;
  readonly onProgress?: (events: number) => void;
}

/** What was read and found of an organisation. */
export interface CountsOfOrganisation {
  readonly events: number;
  readonly streams: number;
  /** All findings, of which others may have crowded out the list. */
  readonly found: number;
}

/** What verifying found. */
export interface Verification {
  readonly events: number;
  readonly streams: number;
  /**
   * The same for each organisation, by its id, with the number of findings; under an empty id, the findings
   * that are about no stream.
   */
  readonly ofOrganisations: Readonly<Record<string, CountsOfOrganisation>>;
  /** The last anchor that could be relied on; null for none. */
  readonly lastAnchor: Anchor | null;
  /** How many events the reliable anchors cover. */
  readonly anchored: number;
  /** The first thousand. */
  readonly findings: readonly Finding[];
  /** All. */
  readonly found: number;
  /** Numbers of PostgreSQL's log that no event has; null for another event store. */
  readonly gaps: number | null;
}

/**
 * Proves that history is what was recorded: the hash chain of every stream, and all that anchors cover, event
 * by event. No key of a person is needed. Reads everything once; what is recorded meanwhile is left out.
 */
export async function verifyHistory(parts: VerifyParts): Promise<Verification> {
  const { pool, eventStore, publicKeys, kept = [], organisationId = null, onProgress } = parts;
  const findings = new Findings(organisationId);
  const anchors = reliableAnchors({ stored: await listAnchors(pool), kept, publicKeys }, findings);
  const expected = new ExpectedHistory();
  const recount = new Recount(
    await takeRecords(anchors, (number) => recordsOfAnchor(pool, number), expected, findings),
  );
  const check = new HistoryCheck(expected, findings, expected.count === anchors.at(-1)?.document.events);
  const head = await eventStore.head();
  if (head !== null) {
    for await (const page of pagesOfLog(eventStore, null, head)) {
      for (const event of page) {
        check.take(event);
        recount.take(event);
      }
      onProgress?.(check.counts.events);
    }
  }
  check.finish();
  recount.finish(findings);
  await findRowsAhead({ executor: pool, eventStore, projections: parts.projections }, check, findings);
  const evidence = await eventStore.capabilities.evidence?.();
  if (evidence !== undefined) takeEvidence(evidence, findings);
  return {
    ...check.counts,
    ofOrganisations: countsOf(check, findings),
    lastAnchor: anchors.at(-1) ?? null,
    anchored: expected.count,
    findings: findings.list,
    found: findings.count,
    gaps: evidence?.gaps ?? null,
  };
}

/** An organisation all of whose streams are gone has findings, and nothing that was read. */
function countsOf(check: HistoryCheck, findings: Findings): Verification['ofOrganisations'] {
  const read = check.countsOfOrganisations;
  const found = findings.countsOfOrganisations;
  const ids = new Set([...Object.keys(read), ...found.keys()]);
  return Object.fromEntries(
    Array.from(ids, (id) => [
      id,
      { events: read[id]?.events ?? 0, streams: read[id]?.streams ?? 0, found: found.get(id) ?? 0 },
    ]),
  );
}

function takeEvidence({ hidden, missingTriggers }: LogEvidence, findings: Findings): void {
  for (const { stream, revision } of hidden) {
    findings.add({
      kind: 'hidden',
      stream,
      revision,
      message:
        'the event names a transaction that never was: it is in its stream, and hidden from those who read all events',
    });
  }
  for (const name of missingTriggers) {
    findings.add({
      kind: 'unprotected',
      stream: null,
      revision: null,
      message: `the trigger ${name}, which refuses changes of events, is missing or switched off`,
    });
  }
}
