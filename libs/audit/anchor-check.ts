import { anchorDigest, isSignedBy, type Anchor } from './anchor.js';
import type { ExpectedHistory } from './expected-history.js';
import type { Findings } from './findings.js';
import { RecordDigest, type StreamRecord } from './record.js';

/** The anchors of the database and those of an externally stored file, each in the order of numbers. */
export interface AnchorSources {
  readonly stored: readonly Anchor[];
  readonly exported: readonly Anchor[];
  /** The keys, one of which must have signed. */
  readonly publicKeys: readonly string[];
}

/**
 * Returns the reliable anchors, in order, and records findings about the others. A file's anchor takes
 * precedence over the stored one.
 */
export function reliableAnchors(
  { stored, exported, publicKeys }: AnchorSources,
  findings: Findings,
): readonly Anchor[] {
  const report = (message: string): void => findings.add({ kind: 'anchor', stream: null, revision: null, message });
  const storedByNumber = new Map(stored.map((anchor) => [anchor.document.number, anchor]));
  const all = new Map(storedByNumber);
  for (const anchor of exported) {
    const { number } = anchor.document;
    const own = storedByNumber.get(number);
    if (own === undefined) report(`anchor ${number} of the file is missing in the database`);
    else if (own.text !== anchor.text) report(`anchor ${number} in the database differs from that of the file`);
    all.set(number, anchor);
  }
  const reliable: Anchor[] = [];
  let before: Anchor | null = null;
  for (const anchor of [...all.values()].sort((one, other) => one.document.number - other.document.number)) {
    const { number, previous, added, events } = anchor.document;
    const expected: number = (before?.document.number ?? 0) + 1;
    if (number > expected)
      report(
        number === expected + 1 ? `anchor ${expected} is missing` : `anchors ${expected} to ${number - 1} are missing`,
      );
    const isSigned = isSignedBy(anchor, publicKeys);
    if (!isSigned) report(`anchor ${number} is not signed with the key of this installation`);
    const follows =
      number !== expected ||
      (previous === (before === null ? null : anchorDigest(before)) &&
        events === (before?.document.events ?? 0) + added);
    if (isSigned && !follows) report(`anchor ${number} does not continue anchor ${number - 1}`);
    if (isSigned) reliable.push(anchor);
    before = anchor;
  }
  return reliable;
}

/** The source of the records of anchors. */
export type RecordSource = (number: number) => AsyncIterable<readonly StreamRecord[]>;

/**
 * Accepts the records of these anchors. Returns the anchors whose record differs from the signed digest: only
 * their digest can be compared with history.
 */
export async function takeRecords(
  anchors: readonly Anchor[],
  recordOf: RecordSource,
  expected: ExpectedHistory,
  findings: Findings,
): Promise<readonly Anchor[]> {
  const damaged: Anchor[] = [];
  for (const anchor of anchors) {
    const { number, events, added, record } = anchor.document;
    const digest = new RecordDigest();
    const streams: StreamRecord[] = [];
    for await (const batch of recordOf(number)) {
      for (const one of batch) digest.add(one);
      streams.push(...batch);
    }
    if (digest.text() === record) {
      for (const one of streams) expected.add(number, events - added, one);
    } else {
      findings.add({
        kind: 'anchor',
        stream: null,
        revision: null,
        message: `the record of anchor ${number} in the database differs from its signed digest`,
      });
      damaged.push(anchor);
    }
  }
  return damaged;
}
