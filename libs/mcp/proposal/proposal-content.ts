import type { Json, JsonObject } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { personKeyOf } from '#people/person/person-keys.js';
import { openJson, sealJson } from '#people/person/person-seal.js';
import type { WriteProposalRow } from './write-proposal.js';

/** A field of the write: its value before, from the read of the resource, and the proposed one. */
export type ProposedChange = { readonly field: string; readonly before: string | null; readonly after: string | null };

/** The personal data of a proposal, which is stored encrypted with the key of the person concerned. */
export type ProposalContent = {
  readonly parameters: { readonly [name: string]: string };
  /** Null for an operation without a body. */
  readonly body: JsonObject | null;
  readonly changes: readonly ProposedChange[];
  /** The AI client's reported name: untrusted text. */
  readonly client: string | null;
};

/** Encrypts a content with the key of the person concerned. */
export function sealContent(content: ProposalContent, key: Buffer): string {
  return sealJson(content as unknown as Json, key);
}

/** Decrypts the content of a proposal; null once the person's key is destroyed. */
export async function openContent(
  executor: Executor,
  organisationId: string,
  { person_id: personId, sealed }: Pick<WriteProposalRow, 'person_id' | 'sealed'>,
): Promise<ProposalContent | null> {
  const key = await personKeyOf(executor, organisationId, personId);
  return key === null ? null : (openJson(sealed, key) as unknown as ProposalContent);
}

/** A proposal with its content, which is null once the person's key is destroyed. */
export interface ReadProposal {
  readonly row: WriteProposalRow;
  readonly content: ProposalContent | null;
}

/** The same with the row, in the form of responses. */
export async function readProposal(
  executor: Executor,
  organisationId: string,
  row: WriteProposalRow,
): Promise<ReadProposal> {
  return { row, content: await openContent(executor, organisationId, row) };
}

/** The fields of a body, with their values in a read; `becomes` are those of an operation without a body. */
export function changesOfWrite(
  body: JsonObject | null,
  before: JsonObject | null,
  becomes: Readonly<Record<string, string>> = {},
): readonly ProposedChange[] {
  return Object.entries({ ...(body ?? {}), ...becomes }).map(([field, value]) => ({
    field,
    before: asText(presentedValue(before ?? {}, field)),
    after: asText(value),
  }));
}

/** A read returns a reference as an object where a write takes its id: `department` for `department_id`. */
function presentedValue(shown: JsonObject, field: string): Json | undefined {
  if (Object.hasOwn(shown, field)) return shown[field];
  const reference = field.endsWith('_id') ? shown[field.slice(0, -'_id'.length)] : undefined;
  return typeof reference === 'object' && reference !== null && !Array.isArray(reference)
    ? (reference as JsonObject)['id']
    : undefined;
}

function asText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
