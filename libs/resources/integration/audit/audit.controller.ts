import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Pool } from 'pg';
import { anchorDigest, type Anchor } from '#audit/anchor.js';
import { pageOfAnchors } from '#audit/anchor-store.js';
import type { Finding } from '#audit/findings.js';
import { requestVerification, verificationRequestedAt } from '#audit/requested-verifications.js';
import { type KeptVerification, lastVerificationOf } from '#audit/verifications.js';
import { categoryOf } from '#event-store/event-store.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, isWholeNumber, type PagedList, readPage } from '#http/pages.js';
import { VERIFICATION_JOB, WorkRequests } from '#jobs/requested-work.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Scope } from '#kernel/scopes.js';
import { placeOfActivity } from '../activity/activity.controller.js';
import { type ActivityPlace, listActivity } from '../activity/activity.queries.js';
import { ActivityReader, type PlacedReportRow } from '../activity/activity.reader.js';
import { resourceTypeOf } from '../activity/activity-values.js';
import {
  AnchorResponse,
  AnchorsQuery,
  type FindingResponse,
  ReportQuery,
  ReportRowResponse,
  VerificationResponse,
} from './audit.contract.js';

const COMMON = { tags: ['Audit'], scope: 'audit:read' } as const;

/** What opens the encrypted values of a report, beside the scope of the report itself. */
const SCOPES_OF_REPORTED_VALUES: readonly Scope[] = [
  'people:read',
  'people:personal:read',
  'custom_fields:read',
  'payroll_exports:read',
  'time_off:decisions:read',
  'documents:read',
];

/** The place of a row among all rows of the report. */
type RowPlace = ActivityPlace & { readonly field: number };

const OLDEST_FIRST: PagedList<RowPlace, PlacedReportRow> = {
  route: 'listAuditReport',
  place: { recordedAt: isText, stream: isText, revision: isWholeNumber, field: isWholeNumber },
  placeOf: ({ of, field }) => ({ ...placeOfActivity(of), field }),
};

const ANCHORS: PagedList<{ readonly number: number }, Anchor> = {
  route: 'listAuditAnchors',
  place: { number: isWholeNumber },
  placeOf: ({ document: { number } }) => ({ number }),
};

@Controller('audit')
export class AuditController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly activity: ActivityReader,
    private readonly work: WorkRequests,
  ) {}

  @Get('report')
  @Operation({
    ...COMMON,
    operationId: 'listAuditReport',
    summary: 'Read the audit report',
    description:
      'The rows of `workforce audit report`, oldest first: one for each field that an event names. Encrypted values are shown with `with_values=true`.',
    capability: 'audit.report',
    query: ReportQuery,
    response: ReportRowResponse,
    responseKind: 'page',
  })
  async report(@Receive() call: Call<undefined, ReportQuery>): Promise<Answer> {
    const { person_id = null, from = null, to = null, with_values: withValues = false } = call.query;
    const organisationId = call.key.organisation.id;
    if (withValues) requireScopes(call.key.scopes);
    const filters = { personId: person_id, from, to, actorId: null, actorType: null, type: null, category: null };
    const request = { organisationId, filters: { person_id, from, to, with_values: withValues }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, OLDEST_FIRST, request, async (after, count) => {
      // Each event has a row or more. The one of the last page's end comes again, because some of its rows may be left.
      const begin = after === null ? null : { ...after, revision: after.revision - 1 };
      const page = { filters, order: 'oldest_first', after: begin, count: count + 1 } as const;
      const found = await this.activity.report(organisationId, await listActivity(this.pool, organisationId, page), withValues);
      return found.filter((row) => after === null || isAfter(row, after)).slice(0, count);
    });
    return { data: rows.map(({ row }) => row), nextCursor };
  }

  @Get('anchors')
  @Operation({
    ...COMMON,
    operationId: 'listAuditAnchors',
    summary: 'List the anchors of history',
    description:
      'Signed digests of everything recorded up to a moment, newest first. Keep their digests elsewhere: they show later that nobody has altered what was recorded before.',
    capability: 'audit.anchors',
    query: AnchorsQuery,
    response: AnchorResponse,
    responseKind: 'page',
  })
  async anchors(@Receive() call: Call<undefined, AnchorsQuery>): Promise<Answer> {
    const request = { organisationId: call.key.organisation.id, filters: {}, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, ANCHORS, request, (after, count) =>
      pageOfAnchors(this.pool, after?.number ?? null, count),
    );
    return { data: rows.map(presentAnchor), nextCursor };
  }

  @Get('verification')
  @Operation({
    ...COMMON,
    operationId: 'getAuditVerification',
    summary: 'Read the last verification of history',
    description:
      'What the last verification of all history found about that of the organisation: hash chains of all streams, and what anchors cover. The worker verifies daily, and when asked; operators verify with `workforce audit verify`.',
    capability: 'audit.verification',
    response: VerificationResponse,
  })
  verification(@Receive() { key }: Call): Promise<Answer> {
    return this.verificationOf(key.organisation.id);
  }

  @Post('verification')
  @Operation({
    ...COMMON,
    operationId: 'requestAuditVerification',
    summary: 'Ask for a verification of history',
    description:
      'The worker reads everything that is recorded, at most every five minutes. Answers with the last result, and with `requested_at` until the new one is there. Asking again meanwhile changes nothing.',
    capability: 'audit.verification.request',
    response: VerificationResponse,
    write: { ifMatch: 'none' },
  })
  async requestVerification(@Receive() { key }: Call): Promise<Answer> {
    await requestVerification(this.pool, key.organisation.id);
    this.work.begin(VERIFICATION_JOB);
    return this.verificationOf(key.organisation.id);
  }

  private async verificationOf(organisationId: string): Promise<Answer> {
    // Asked first: what ends in between is then shown as awaited and as done, never as neither.
    const requestedAt = await verificationRequestedAt(this.pool, organisationId);
    const kept = await lastVerificationOf(this.pool, organisationId);
    return { data: { requested_at: requestedAt?.toISOString() ?? null, ...presentVerification(kept) } };
  }
}

function isAfter({ of, field }: PlacedReportRow, { stream, revision, field: last }: RowPlace): boolean {
  return of.stream !== stream || of.revision !== revision || field > last;
}

function requireScopes(granted: ReadonlySet<Scope>): void {
  const missing = SCOPES_OF_REPORTED_VALUES.filter((scope) => !granted.has(scope));
  if (missing.length === 0) return;
  const details = missing.map((scope) => ({ field: 'with_values', issue: `needs the scope ${scope}` }));
  throw new HttpError('permission_denied', { message: `with_values needs the scope ${missing[0]!}.`, details });
}

function presentAnchor(anchor: Anchor): AnchorResponse {
  const { number, created_at, previous, public_key } = anchor.document;
  return { number, created_at, digest: anchorDigest(anchor), previous_digest: previous, public_key };
}

function presentVerification(kept: KeptVerification | null): Omit<VerificationResponse, 'requested_at'> {
  if (kept === null) {
    return {
      verified_at: null,
      is_unaltered: null,
      events: 0,
      streams: 0,
      last_anchor: null,
      is_checked_against_noted_key: false,
      found: 0,
      findings: [],
    };
  }
  const { ended_at, events, streams, found, findings, last_anchor: number, last_anchor_at, last_anchor_digest, trusts_own_key } = kept;
  return {
    verified_at: ended_at.toISOString(),
    is_unaltered: found === 0,
    events,
    streams,
    last_anchor: number === null ? null : { number, created_at: last_anchor_at!.toISOString(), digest: last_anchor_digest! },
    is_checked_against_noted_key: !trusts_own_key,
    found,
    findings: findings.map(presentFinding),
  };
}

function presentFinding({ kind, stream, revision, message }: Finding): FindingResponse {
  const resource = stream === null ? null : { type: resourceTypeOf(categoryOf(stream)), id: partsOfStream(stream).entityId };
  return { kind, resource_type: resource?.type ?? null, resource_id: resource?.id ?? null, revision, message };
}
