import { DateField, DateTimeField, IdField, IntegerField, ObjectField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';

const DOCUMENT_EXAMPLE = 'doc_n4Yb1RkS.0cXw9JqT.zL5mQ8eVd2Uh';
const DOCUMENT_TYPE_EXAMPLE = 'dt_Vw3hK7sD.b9Tz2LcN.fR6yX1pGm4Ja';
const PERSON_EXAMPLE = '7k2m9qx4hz1c';

export class DocumentPersonReference {
  @IdField('person', { description: 'The person to whom the document belongs.', example: PERSON_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
}

export class DocumentTypeReference {
  @IdField('documentType', { description: 'One of GET /reference/document-types.', example: DOCUMENT_TYPE_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current label.', example: 'Employment contract' })
  readonly label!: string;
}

/** The metadata of a document; no response ever contains its bytes or a link to them (contract part 4). */
export class DocumentResponse {
  @IdField('document', { example: DOCUMENT_EXAMPLE })
  readonly id!: string;
  @ObjectField(() => DocumentPersonReference)
  readonly person!: DocumentPersonReference;
  @TextField({
    maximumLength: 200,
    description: 'Reads [erased] where the personal data of the person was erased.',
    example: 'Employment contract 2026.pdf',
  })
  readonly name!: string;
  @ObjectField(() => DocumentTypeReference)
  readonly document_type!: DocumentTypeReference;
  @TextField({ description: 'A media type without parameters.', example: 'application/pdf' })
  readonly content_type!: string;
  @IntegerField({ minimum: 0, example: 184_320 })
  readonly byte_size!: number;
  @DateField({ nullable: true })
  readonly issued_on!: string | null;
  @DateField({ nullable: true, description: 'The last day on which the document is valid; never before issued_on.' })
  readonly expires_on!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class DocumentParameters {
  @IdField('document', { description: 'Id of the document.', example: DOCUMENT_EXAMPLE })
  readonly documentId!: string;
}

export class DocumentsQuery extends PageQuery {
  @DateTimeField({
    optional: true,
    description: 'Inclusive: what changed since, in the order of change. Pass the largest updated_at seen next time.',
    example: '2024-06-01T00:00:00.000Z',
  })
  readonly updated_since?: string;
  @IdField('person', {
    optional: true,
    description: 'Only documents of this person; 404 where there is no such person.',
    example: PERSON_EXAMPLE,
  })
  readonly person_id?: string;
}
