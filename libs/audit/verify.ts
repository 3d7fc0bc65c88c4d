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

/** The dependencies and options of verifying. */
export interface VerifyParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projections: readonly Projection[];
  /** Valid keys of anchors. */
  readonly publicKeys: readonly string[];
  /** Anchors from external storage. */
  readonly exported?: readonly Anchor[];
  /** The report covers only the streams of this organisation; everything is read either way. */
  readonly organisationId?: string | null;
  readonly onProgress?: (events: number) => void;
}

/** The totals and findings of an organisation. */
export interface CountsOfOrganisation {
  readonly events: number;
  readonly streams: number;
  /** The number of all findings, including those beyond the limit of the list. */
  readonly found: number;
}

/** The result of verifying. */
export interface Verification {
  readonly events: number;
  readonly streams: number;
  /**
   * The same for each organisation, by its id, with the number of findings; under an empty id, the findings
   * without a stream.
   */
  readonly ofOrganisations: Readonly<Record<string, CountsOfOrganisation>>;
  /** The last reliable anchor; null for none. */
  readonly lastAnchor: Anchor | null;
  /** The number of events that the reliable anchors cover. */
  readonly anchored: number;
  /** The first 1,000 findings. */
  readonly findings: readonly Finding[];
  /** The number of all findings. */
  readonly found: number;
  /** Numbers of PostgreSQL's log without an event; null for another event store. */
  readonly gaps: number | null;
}

/**
 * Proves that history is unchanged: the hash chain of every stream, and the records of anchors, event by
 * event. Needs no key of a person. Reads everything once; events recorded meanwhile are left out.
 */
export async function verifyHistory(parts: VerifyParts): Promise<Verification> {
  const { pool, eventStore, publicKeys, exported = [], organisationId = null, onProgress } = parts;
  const findings = new Findings(organisationId);
  const anchors = reliableAnchors({ stored: await listAnchors(pool), exported, publicKeys }, findings);
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

/** An organisation without any remaining stream has findings, and no events read. */
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
        'the event names a transaction that never existed: it is in its stream, but hidden from readers of all events',
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
