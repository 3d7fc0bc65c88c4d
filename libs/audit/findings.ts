import { partsOfStream } from '#kernel/aggregate.js';

/** What can be wrong with history. Names are part of `--json`. */
export type FindingKind =
  | 'changed'
  | 'not_linked'
  | 'missing'
  | 'truncated'
  | 'removed'
  | 'replaced'
  | 'inserted'
  | 'recorded_time'
  | 'order'
  | 'hidden'
  | 'unprotected'
  | 'anchor';

/** One thing that is wrong, and where. */
export interface Finding {
  readonly kind: FindingKind;
  /** Null for what is about no stream: an anchor, a trigger. */
  readonly stream: string | null;
  /** The first revision that it is about; null for a whole stream. */
  readonly revision: number | null;
  /** A sentence. */
  readonly message: string;
}

const MAX_FINDINGS = 1_000;

/** Stands for an organisation where a finding is about no stream. */
export const NO_ORGANISATION = '';

/** Collects findings: all are counted, for each organisation too; the first thousand are kept. */
export class Findings {
  readonly list: Finding[] = [];
  private counted = 0;
  private readonly counts = new Map<string, number>();

  /** @param organisationId - only what is wrong with its streams, and what is about none */
  constructor(private readonly organisationId: string | null) {}

  get count(): number {
    return this.counted;
  }

  /**
   * How many were found of each organisation's streams, by its id; under {@link NO_ORGANISATION}, those of no
   * stream.
   */
  get countsOfOrganisations(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** Whether such a thing was found of a stream already. */
  has(kind: FindingKind, stream: string): boolean {
    return this.list.some((finding) => finding.kind === kind && finding.stream === stream);
  }

  add(finding: Finding): void {
    if (!this.isAsked(finding.stream)) return;
    this.counted += 1;
    const owner = finding.stream === null ? NO_ORGANISATION : partsOfStream(finding.stream).organisationId;
    this.counts.set(owner, (this.counts.get(owner) ?? 0) + 1);
    if (this.list.length < MAX_FINDINGS) this.list.push(finding);
  }

  private isAsked(stream: string | null): boolean {
    return stream === null || this.organisationId === null || stream.includes(`-${this.organisationId}.`);
  }
}
