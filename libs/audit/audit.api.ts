import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import { categoryOf } from '#event-store/event-store.js';
import { ACTOR_TYPES } from '#http/actor.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, isSafeInteger, type PagedList, PageQuery, readPage } from '#http/pages.js';
import { VERIFICATION_JOB, WorkRequests } from '#jobs/requested-work.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Scope } from '#kernel/scopes.js';
import { resourceTypeOf } from './activity/activity-values.js';
import { ActivityReader, type PlacedReportRow, placeOfActivity } from './activity/activity.api.js';
import { type ActivityPlace, listActivity } from './activity/activity.js';
import { pageOfAnchors } from './anchor-store.js';
import { type Anchor, anchorDigest } from './anchor.js';
import type { Finding } from './findings.js';
import { requestVerification, verificationRequestedAt } from './requested-verifications.js';
import { type StoredVerification, lastVerificationOf } from './verifications.js';

const DIGEST_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const MAX_TEXT_LENGTH = 100_000;

/** A field of an event, as a row of the report: the columns of `workforce audit report`. */
class ReportRowResponse {
  @DateTimeField()
  readonly recorded_at!: string;
  @EnumField(ACTOR_TYPES, { example: 'user' })
  readonly actor_type!: string;
  @TextField({ maximumLength: 300, example: 'key_8Zq2LmX4' })
  readonly actor_id!: string;
  @TextField({ maximumLength: 300, description: 'Empty if the actor has no name.', example: 'Payroll' })
  readonly actor_name!: string;
  @TextField({ maximumLength: 100, description: 'The kind of resource.', example: 'employment' })
  readonly subject!: string;
  @TextField({
    maximumLength: 200,
    description:
      'The id of the resource: for time off, the record; for a resource of which a person has one, the person.',
    example: 'V1StGXR8_Z5j',
  })
  readonly subject_id!: string;
  @TextField({ maximumLength: 100, example: 'EmploymentCorrected' })
  readonly event!: string;
  @TextField({ maximumLength: 300, description: 'Empty for an event without fields.', example: 'job_title' })
  readonly field!: string;
  @TextField({
    maximumLength: MAX_TEXT_LENGTH,
    description:
      'As text; [sealed] if it is encrypted and with_values is absent, [erased] if the key is destroyed, [secret] ' +
      'for secrets.',
    example: 'Senior Engineer',
  })
  readonly value!: string;
  @TextField({ maximumLength: 2_000, example: 'The contract named another date.' })
  readonly reason!: string;
  @TextField({
    maximumLength: 200,
    description: 'The fact or adjustment that it replaces; empty for none.',
    example: '',
  })
  readonly supersedes!: string;
  @TextField({ maximumLength: 200, example: 'req_WydAhe9R0QR26nTM.4' })
  readonly request_id!: string;
  @TextField({ maximumLength: 36, example: 'c5c41623-c746-5392-aaa7-cf0fdb841e52' })
  readonly event_id!: string;
  @IntegerField({ minimum: 0, description: 'The place of the event in its stream, from 0.', example: 2 })
  readonly revision!: number;
  @TextField({ maximumLength: 20, description: 'Empty if no approval was needed.', example: '' })
  readonly approver_type!: string;
  @TextField({ maximumLength: 300, example: '' })
  readonly approver_id!: string;
  @TextField({
    maximumLength: 200,
    description: 'The person concerned; empty for none.',
    example: '7k2m9qhx4v0c',
  })
  readonly person_id!: string;
}

class ReportQuery extends PageQuery {
  @IdField('person', { optional: true, description: 'Only events about this person.' })
  readonly person_id?: string;
  @DateTimeField({
    optional: true,
    description: 'Recorded at this time or later.',
    example: '2026-01-01T00:00:00.000Z',
  })
  readonly from?: string;
  @DateTimeField({ optional: true, description: 'Recorded before this time.', example: '2026-02-01T00:00:00.000Z' })
  readonly to?: string;
  @BooleanField({
    optional: true,
    description:
      'Whether encrypted values are decrypted: names, profiles, custom fields, names of documents. Needs ' +
      'people:read, people:personal:read, custom_fields:read, payroll_exports:read, time_off:decisions:read and ' +
      'documents:read.',
    example: false,
  })
  readonly with_values?: boolean;
}

/** A signed digest of all history up to a time. */
class AnchorResponse {
  @IntegerField({ minimum: 1, description: 'From 1, without gaps.', example: 12 })
  readonly number!: number;
  @DateTimeField()
  readonly created_at!: string;
  @TextField({ maximumLength: 64, description: 'SHA-256 of the signed text, hexadecimal.', example: DIGEST_EXAMPLE })
  readonly digest!: string;
  @TextField({
    maximumLength: 64,
    nullable: true,
    description: 'The digest of the previous anchor; null for the first.',
    example: DIGEST_EXAMPLE,
  })
  readonly previous_digest!: string | null;
  @TextField({
    maximumLength: 43,
    description: 'Ed25519, base64url: the key that signed it.',
    example: 'SDHRF2ZTAZMuEzkcfr7x3AEVcJA6GCyKGLxAqjKxKWs',
  })
  readonly public_key!: string;
}

class AnchorsQuery extends PageQuery {}

class FindingResponse {
  @EnumField(
    [
      'changed',
      'not_linked',
      'missing',
      'truncated',
      'removed',
      'replaced',
      'inserted',
      'recorded_time',
      'order',
      'hidden',
      'unprotected',
      'anchor',
    ],
    { example: 'changed' },
  )
  readonly kind!: string;
  @TextField({
    maximumLength: 60,
    nullable: true,
    description: 'Null for a finding without a resource, such as about an anchor.',
    example: 'employment',
  })
  readonly resource_type!: string | null;
  @TextField({ maximumLength: 200, nullable: true, example: 'V1StGXR8_Z5j' })
  readonly resource_id!: string | null;
  @IntegerField({
    minimum: 0,
    nullable: true,
    description: 'The first event concerned; null for a whole resource.',
    example: 2,
  })
  readonly revision!: number | null;
  @TextField({ maximumLength: 2_000, example: 'data, type, id or metadata do not match the hash' })
  readonly message!: string;
}

class VerifiedAnchorResponse {
  @IntegerField({ minimum: 1, example: 12 })
  readonly number!: number;
  @DateTimeField()
  readonly created_at!: string;
  @TextField({ maximumLength: 64, description: 'SHA-256 of its signed text, hexadecimal.', example: DIGEST_EXAMPLE })
  readonly digest!: string;
}

/** The findings of the last verification of history. */
class VerificationResponse {
  @DateTimeField({
    nullable: true,
    description: 'When the pending verification was requested; null if none is pending.',
    example: null,
  })
  readonly requested_at!: string | null;
  @DateTimeField({ nullable: true, description: 'When it ended; null if history was never verified.' })
  readonly verified_at!: string | null;
  @BooleanField({
    nullable: true,
    description: 'Whether there were no findings; null if history was never verified.',
    example: true,
  })
  readonly is_unaltered!: boolean | null;
  @IntegerField({ minimum: 0, description: 'Number of events of the organisation that were read.', example: 4_212 })
  readonly events!: number;
  @IntegerField({ minimum: 0, description: 'Number of streams of the organisation that were read.', example: 388 })
  readonly streams!: number;
  @ObjectField(() => VerifiedAnchorResponse, {
    nullable: true,
    description: 'The last reliable anchor; null for none.',
  })
  readonly last_anchor!: VerifiedAnchorResponse | null;
  @BooleanField({
    description:
      'Whether anchors were checked against an externally recorded public key, and not against the one in the ' +
      'database.',
    example: true,
  })
  readonly is_checked_against_noted_key!: boolean;
  @IntegerField({ minimum: 0, description: 'The number of findings: the list may be shorter.', example: 0 })
  readonly found!: number;
  @ListField(() => FindingResponse, { maximumItems: 1_000, description: 'The first ones.' })
  readonly findings!: readonly FindingResponse[];
}

const COMMON = { tags: ['Audit'], scope: 'audit:read' } as const;

/** The scopes that decrypt values of a report, besides the scope of the report itself. */
const SCOPES_OF_REPORTED_VALUES: readonly Scope[] = [
  'people:read',
  'people:personal:read',
  'custom_fields:read',
  'payroll_exports:read',
  'time_off:decisions:read',
  'documents:read',
];

/** The position of a row among all rows of the report. */
type RowPlace = ActivityPlace & { readonly field: number };

const OLDEST_FIRST: PagedList<RowPlace, PlacedReportRow> = {
  route: 'listAuditReport',
  place: { recordedAt: isText, stream: isText, revision: isSafeInteger, field: isSafeInteger },
  placeOf: ({ of, field }) => ({ ...placeOfActivity(of), field }),
};

const ANCHORS: PagedList<{ readonly number: number }, Anchor> = {
  route: 'listAuditAnchors',
  place: { number: isSafeInteger },
  placeOf: ({ document: { number } }) => ({ number }),
};

@Controller('audit')
class AuditController {
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
      'The rows of `workforce audit report`, oldest first: one for each field of an event. Encrypted values are ' +
      'decrypted with `with_values=true`.',
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
      // Each event has one or more rows. The last page's final event is read again, because rows of it may be
      // left.
      const begin = after === null ? null : { ...after, revision: after.revision - 1 };
      const page = { filters, order: 'oldest_first', after: begin, count: count + 1 } as const;
      const found = await this.activity.report(
        organisationId,
        await listActivity(this.pool, organisationId, page),
        withValues,
      );
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
      'Signed digests of everything recorded up to a time, newest first. Store their digests externally: they prove ' +
      'later that earlier records were not altered.',
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
      'The findings of the last verification of all history about that of the organisation: hash chains of all ' +
      'streams, and the records of anchors. The worker verifies daily, and on request; operators verify with ' +
      '`workforce audit verify`.',
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
    summary: 'Request a verification of history',
    description:
      'The worker reads all recorded events, at most every five minutes. Returns the last result, with ' +
      '`requested_at` until the new one exists. Repeated requests meanwhile change nothing.',
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
    // Queried first: a verification that ends in between is then reported as pending and as done, never as
    // neither.
    const requestedAt = await verificationRequestedAt(this.pool, organisationId);
    const verification = await lastVerificationOf(this.pool, organisationId);
    return { data: { requested_at: requestedAt?.toISOString() ?? null, ...presentVerification(verification) } };
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

function presentVerification(verification: StoredVerification | null): Omit<VerificationResponse, 'requested_at'> {
  if (verification === null) {
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
  const {
    ended_at,
    events,
    streams,
    found,
    findings,
    last_anchor: number,
    last_anchor_at,
    last_anchor_digest,
    trusts_own_key,
  } = verification;
  return {
    verified_at: ended_at.toISOString(),
    is_unaltered: found === 0,
    events,
    streams,
    last_anchor:
      number === null ? null : { number, created_at: last_anchor_at!.toISOString(), digest: last_anchor_digest! },
    is_checked_against_noted_key: !trusts_own_key,
    found,
    findings: findings.map(presentFinding),
  };
}

function presentFinding({ kind, stream, revision, message }: Finding): FindingResponse {
  const resource =
    stream === null ? null : { type: resourceTypeOf(categoryOf(stream)), id: partsOfStream(stream).entityId };
  return { kind, resource_type: resource?.type ?? null, resource_id: resource?.id ?? null, revision, message };
}

/**
 * Resources for auditors: the report, the anchors of history, and its last verification. `activity` provides
 * the report's rows.
 */
export const auditResource = defineResource({ area: 'integration', controllers: [AuditController] });
