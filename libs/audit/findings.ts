import { partsOfStream } from '#kernel/aggregate.js';

/** The kinds of findings in history. Their names are part of `--json`. */
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

/** A finding and its place. */
export interface Finding {
  readonly kind: FindingKind;
  /** Null for a finding without a stream: about an anchor or a trigger. */
  readonly stream: string | null;
  /** The first revision concerned; null for a whole stream. */
  readonly revision: number | null;
  /** A sentence. */
  readonly message: string;
}

const MAX_FINDINGS = 1_000;

/** Stands for an organisation in findings without a stream. */
export const NO_ORGANISATION = '';

/** Collects findings: counts all of them, also per organisation, and retains the first thousand. */
export class Findings {
  readonly list: Finding[] = [];
  private total = 0;
  private readonly counts = new Map<string, number>();

  /** @param organisationId - only findings about its streams, and those without a stream */
  constructor(private readonly organisationId: string | null) {}

  get count(): number {
    return this.total;
  }

  /**
   * The number of findings about each organisation's streams, by its id; under {@link NO_ORGANISATION}, those
   * without a stream.
   */
  get countsOfOrganisations(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** Whether a stream already has such a finding. */
  has(kind: FindingKind, stream: string): boolean {
    return this.list.some((finding) => finding.kind === kind && finding.stream === stream);
  }

  add(finding: Finding): void {
    if (!this.isCovered(finding.stream)) return;
    this.total += 1;
    const owner = finding.stream === null ? NO_ORGANISATION : partsOfStream(finding.stream).organisationId;
    this.counts.set(owner, (this.counts.get(owner) ?? 0) + 1);
    if (this.list.length < MAX_FINDINGS) this.list.push(finding);
  }

  private isCovered(stream: string | null): boolean {
    return stream === null || this.organisationId === null || stream.includes(`-${this.organisationId}.`);
  }
}
