import { BooleanField, DateTimeField, EnumField, IdField, IntegerField, ListField, ObjectField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { ACTOR_TYPES } from '../../people/audit-report/actor.contract.js';

const DIGEST_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const LONGEST_TEXT = 100_000;

/** A field that an event names, as a row of the report: the columns of `workforce audit report`. */
export class ReportRowResponse {
  @DateTimeField()
  readonly recorded_at!: string;
  @EnumField(ACTOR_TYPES, { example: 'user' })
  readonly actor_type!: string;
  @TextField({ maximumLength: 300, example: 'key_8Zq2LmX4' })
  readonly actor_id!: string;
  @TextField({ maximumLength: 300, description: 'Empty where the actor has no name.', example: 'Payroll' })
  readonly actor_name!: string;
  @TextField({ maximumLength: 100, description: 'The kind of resource.', example: 'employment' })
  readonly subject!: string;
  @TextField({
    maximumLength: 200,
    description: 'The id of the resource: of time off, the record; of what a person has one of, the person.',
    example: 'V1StGXR8_Z5j',
  })
  readonly subject_id!: string;
  @TextField({ maximumLength: 100, example: 'EmploymentCorrected' })
  readonly event!: string;
  @TextField({ maximumLength: 300, description: 'Empty for an event that names no field.', example: 'job_title' })
  readonly field!: string;
  @TextField({
    maximumLength: LONGEST_TEXT,
    description:
      'As text; [sealed] where it is encrypted and with_values is not given, [erased] where the key is gone, [secret] for secrets.',
    example: 'Senior Engineer',
  })
  readonly value!: string;
  @TextField({ maximumLength: 2_000, example: 'The contract named another date.' })
  readonly reason!: string;
  @TextField({ maximumLength: 200, description: 'The fact or adjustment that it replaces; empty for none.', example: '' })
  readonly supersedes!: string;
  @TextField({ maximumLength: 200, example: 'req_WydAhe9R0QR26nTM.4' })
  readonly request_id!: string;
  @TextField({ maximumLength: 36, example: 'c5c41623-c746-5392-aaa7-cf0fdb841e52' })
  readonly event_id!: string;
  @IntegerField({ minimum: 0, description: 'The place of the event in its stream, from 0.', example: 2 })
  readonly revision!: number;
  @TextField({ maximumLength: 20, description: 'Empty where nobody had to approve.', example: '' })
  readonly approver_type!: string;
  @TextField({ maximumLength: 300, example: '' })
  readonly approver_id!: string;
  @TextField({ maximumLength: 200, description: 'The person whom it is about; empty for nobody.', example: '7k2m9qhx4v0c' })
  readonly person_id!: string;
}

export class ReportQuery extends PageQuery {
  @IdField('person', { optional: true, description: 'Only what is about this person.' })
  readonly person_id?: string;
  @DateTimeField({ optional: true, description: 'Recorded at this moment or later.', example: '2026-01-01T00:00:00.000Z' })
  readonly from?: string;
  @DateTimeField({ optional: true, description: 'Recorded before this moment.', example: '2026-02-01T00:00:00.000Z' })
  readonly to?: string;
  @BooleanField({
    optional: true,
    description:
      'Whether encrypted values are opened: names, profiles, custom fields, names of documents. Needs people:read, people:personal:read, custom_fields:read, payroll_exports:read, time_off:decisions:read and documents:read.',
    example: false,
  })
  readonly with_values?: boolean;
}

/** A signed digest of all history up to a moment. */
export class AnchorResponse {
  @IntegerField({ minimum: 1, description: 'From 1, without gaps.', example: 12 })
  readonly number!: number;
  @DateTimeField()
  readonly created_at!: string;
  @TextField({ maximumLength: 64, description: 'SHA-256 of the signed text, hexadecimal.', example: DIGEST_EXAMPLE })
  readonly digest!: string;
  @TextField({
    maximumLength: 64,
    nullable: true,
    description: 'The digest of the anchor before; null for the first.',
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

export class AnchorsQuery extends PageQuery {}

export class FindingResponse {
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
    description: 'Null for what is about no resource, such as an anchor.',
    example: 'employment',
  })
  readonly resource_type!: string | null;
  @TextField({ maximumLength: 200, nullable: true, example: 'V1StGXR8_Z5j' })
  readonly resource_id!: string | null;
  @IntegerField({ minimum: 0, nullable: true, description: 'The first event that it is about; null for all of a resource.', example: 2 })
  readonly revision!: number | null;
  @TextField({ maximumLength: 2_000, example: 'data, type, id or metadata are not what the hash was taken of' })
  readonly message!: string;
}

export class VerifiedAnchorResponse {
  @IntegerField({ minimum: 1, example: 12 })
  readonly number!: number;
  @DateTimeField()
  readonly created_at!: string;
  @TextField({ maximumLength: 64, description: 'SHA-256 of its signed text, hexadecimal.', example: DIGEST_EXAMPLE })
  readonly digest!: string;
}

/** What the last verification of history found. */
export class VerificationResponse {
  @DateTimeField({
    nullable: true,
    description: 'When the verification was asked for that has not ended yet; null where none is awaited.',
    example: null,
  })
  readonly requested_at!: string | null;
  @DateTimeField({ nullable: true, description: 'When it ended; null where history was never verified.' })
  readonly verified_at!: string | null;
  @BooleanField({ nullable: true, description: 'Whether nothing was found; null where history was never verified.', example: true })
  readonly is_unaltered!: boolean | null;
  @IntegerField({ minimum: 0, description: 'Events of the organisation that were read.', example: 4_212 })
  readonly events!: number;
  @IntegerField({ minimum: 0, description: 'Streams of the organisation that were read.', example: 388 })
  readonly streams!: number;
  @ObjectField(() => VerifiedAnchorResponse, { nullable: true, description: 'The last anchor that could be relied on; null for none.' })
  readonly last_anchor!: VerifiedAnchorResponse | null;
  @BooleanField({
    description: 'Whether anchors were checked against a public key that was noted elsewhere, and not against the one in the database.',
    example: true,
  })
  readonly is_checked_against_noted_key!: boolean;
  @IntegerField({ minimum: 0, description: 'How many findings there were: the list may be shorter.', example: 0 })
  readonly found!: number;
  @ListField(() => FindingResponse, { maximumItems: 1_000, description: 'The first ones.' })
  readonly findings!: readonly FindingResponse[];
}
