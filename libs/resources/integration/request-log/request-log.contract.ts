import { DateTimeField, EnumField, IdField, IntegerField, NumberField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const ROUTE_EXAMPLE = '/api/v1/people/{personId}';
const LONGEST_ROUTE = 300;

/** An answered request, without anything that it or its answer carried. */
export class RequestResponse {
  @TextField({ maximumLength: 64, description: 'As in `Service-Request-Id`.', example: 'req_WydAhe9R0QR26nTM.4' })
  readonly request_id!: string;
  @DateTimeField()
  readonly answered_at!: string;
  @TextField({ maximumLength: 20, example: 'PATCH' })
  readonly method!: string;
  @TextField({
    maximumLength: LONGEST_ROUTE,
    nullable: true,
    description: 'The pattern of the path, without ids and query. Null for an unknown path.',
    example: ROUTE_EXAMPLE,
  })
  readonly route!: string | null;
  @TextField({
    maximumLength: 100,
    nullable: true,
    description: 'The operation, also the one that an AI client ran. Null for a route that declares none.',
    example: 'updatePerson',
  })
  readonly operation!: string | null;
  @IntegerField({ minimum: 100, maximum: 599, example: 412 })
  readonly status!: number;
  @TextField({
    maximumLength: 50,
    nullable: true,
    description: 'The code of the error; null for a success.',
    example: 'precondition_failed',
  })
  readonly error_code!: string | null;
  @IdField('apiKey', { nullable: true, description: 'The API key that asked; null for a user.' })
  readonly key_id!: string | null;
  @IdField('user', { nullable: true, description: 'The user in whose session it was asked; null for an API key.' })
  readonly user_id!: string | null;
  @NumberField({ minimum: 0, description: 'From the first byte of its headers to the end of its answer.', example: 4.2 })
  readonly duration_milliseconds!: number;
}

export class RequestParameters {
  @TextField({ minimumLength: 1, maximumLength: 200, description: 'Id of the request.', example: 'req_WydAhe9R0QR26nTM.4' })
  readonly requestId!: string;
}

export class RequestsQuery extends PageQuery {
  @TextField({
    maximumLength: 3,
    optional: true,
    description: 'A status, or a class of them.',
    pattern: { source: '^[1-5](?:[0-9][0-9]|xx)$', words: 'must be a status such as 404, or a class of them such as 4xx' },
    example: '4xx',
  })
  readonly status?: string;
  @EnumField(METHODS, { optional: true, description: 'The method of the requests.' })
  readonly method?: string;
  @TextField({ minimumLength: 1, maximumLength: LONGEST_ROUTE, optional: true, description: 'As in the answers.', example: ROUTE_EXAMPLE })
  readonly route?: string;
  @IdField('apiKey', { optional: true, description: 'The API key that asked.' })
  readonly key_id?: string;
  @IdField('user', { optional: true, description: 'The user in whose session it was asked.' })
  readonly user_id?: string;
}
