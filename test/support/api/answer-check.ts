import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { closedDocument } from './closed-document.js';
import type { ApiAnswer } from './http-client.js';

/** The parts of an OpenAPI document that the tests read. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, { readonly schema: { readonly type: string } }>>;
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-service-required-scope': string | null;
  /** Only where it is none of the contract. */
  readonly 'x-service-extension-scope'?: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly example?: unknown;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: { readonly $ref: string };
        readonly example: Readonly<Record<string, unknown>>;
      };
    };
  };
  readonly responses: Readonly<Record<string, DocumentedResponse | { readonly $ref: string }>>;
}

interface DocumentedResponse {
  /** References to `components.headers`. */
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: { readonly 'application/json': { readonly schema: object } };
}

/**
 * Contract part 7 and docs/reference/http.md, repeated here so that the document is not checked against
 * itself.
 */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_request', 'idempotency_required'],
  401: ['authentication_required'],
  403: ['permission_denied'],
  404: ['not_found'],
  405: ['invalid_request'],
  408: ['invalid_request'],
  409: ['conflict', 'idempotency_conflict'],
  412: ['precondition_failed'],
  413: ['invalid_request'],
  415: ['invalid_request'],
  428: ['precondition_required'],
  429: ['rate_limited'],
  431: ['invalid_request'],
  503: ['internal_error'],
};
/** Statuses that an operation need not document: HTTP itself causes them, or the absence of a route. */
const UNNAMED: ReadonlySet<number> = new Set([405, 408, 431]);

interface KnownOperation {
  readonly template: string;
  readonly pattern: RegExp;
  readonly method: string;
  readonly operation: DocumentedOperation;
}

/** Compares answers with the service's own document; additional properties are refused. */
export class AnswerCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly operations: readonly KnownOperation[];

  constructor(readonly document: OpenApiDocument) {
    ajvFormats.default(this.ajv);
    this.ajv.addSchema(closedDocument(document), 'openapi');
    this.operations = Object.entries(document.paths).flatMap(([template, methods]) => {
      const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
      return Object.entries(methods).map(([method, operation]) => ({
        template,
        pattern,
        method: method.toUpperCase(),
        operation,
      }));
    });
  }

  /** Throws with all problems of the answer. */
  assertKept(request: { readonly method: string; readonly path: string }, answer: ApiAnswer): void {
    const problems = this.problemsOf(request, answer);
    if (problems.length > 0)
      throw new Error(
        `${request.method} ${request.path} answered ${answer.status}: ${problems.join('; ')}\n${answer.text}`,
      );
  }

  /** Returns every difference between the answer and what the document and the contract promise. */
  problemsOf(request: { readonly method: string; readonly path: string }, answer: ApiAnswer): readonly string[] {
    const problems: string[] = [];
    const expect = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
    const { status, headers, text } = answer;
    const requestId = String(headers['service-request-id']);
    expect(/^[a-zA-Z0-9._:-]{8,64}$/.test(requestId), 'no Service-Request-Id');
    expect(headers['cache-control'] === 'no-store', 'Cache-Control is not no-store');
    if (status === 204 || status === 304) expect(text === '', `a ${status} has a body`);
    else expect(headers['content-type'] === 'application/json; charset=utf-8', 'is not JSON');
    if (status >= 400) problems.push(...this.errorProblems(answer, requestId));
    const known = this.operationOf(request);
    if (known === null)
      return [...problems, ...(status >= 400 ? [] : ['a path that the document does not have succeeds'])];
    const response = this.responseOf(known, status);
    if (response === null) return [...problems, `${known.operation.operationId} does not document this status`];
    problems.push(...this.headerProblems(response.documented, headers));
    if (status < 400) problems.push(...this.successProblems(known, response, answer));
    return problems;
  }

  /** Returns the documented operation that takes this request. */
  operationOf({ method, path }: { readonly method: string; readonly path: string }): KnownOperation | null {
    const bare = path.split('?', 1)[0]!;
    const candidates = this.operations.filter((known) => known.method === method && known.pattern.test(bare));
    return (
      candidates.sort((one, other) => one.template.split('{').length - other.template.split('{').length)[0] ?? null
    );
  }

  private errorProblems({ status, headers, json }: ApiAnswer, requestId: string): readonly string[] {
    const problems: string[] = [];
    const envelope = this.validatorOf('#/components/schemas/Error');
    if (!envelope(json)) return [`is not in the envelope: ${this.ajv.errorsText(envelope.errors)}`];
    const { code, request_id: named } = json.error;
    // A 500 is always a mistake of the service, unless a caller of the sandbox asked for one.
    const isSelected = headers['sandbox-simulated'] === 'internal_error' && code === 'internal_error';
    if (CODES[status]?.includes(code) !== true && !isSelected)
      problems.push(`status ${status} does not go with ${code}`);
    if (named !== requestId) problems.push('error.request_id is not Service-Request-Id');
    if (status === 401 && headers['www-authenticate'] !== 'Bearer') problems.push('no WWW-Authenticate');
    if (status === 405 && headers.allow === undefined) problems.push('no Allow');
    if ((status === 429 || status === 503) && headers['retry-after'] === undefined) problems.push('no Retry-After');
    if (headers['service-resource-etag'] !== undefined) problems.push('an error has an entity tag');
    return problems;
  }

  private successProblems(
    known: KnownOperation,
    response: { readonly pointer: string; readonly documented: DocumentedResponse },
    answer: ApiAnswer,
  ): readonly string[] {
    const problems: string[] = [];
    const { headers, json } = answer;
    const tag = headers['service-resource-etag'];
    const isTagged = response.documented.headers?.['Service-Resource-ETag'] !== undefined;
    if (isTagged && !/^"[\x21\x23-\x7e]+"$/.test(String(tag))) problems.push('no strong Service-Resource-ETag');
    if (isTagged && headers.etag !== `W/${String(tag)}`) problems.push('ETag is not the weak twin');
    if (!isTagged && (tag !== undefined || headers.etag !== undefined))
      problems.push('an entity tag that is not documented');
    if (headers['ratelimit'] === undefined || headers['ratelimit-policy'] === undefined)
      problems.push('no RateLimit headers');
    if (response.documented.content === undefined) return problems;
    const validate = this.validatorOf(`${response.pointer}/content/application~1json/schema`);
    if (!validate(json)) problems.push(`${known.operation.operationId}: ${this.ajv.errorsText(validate.errors)}`);
    return problems;
  }

  private headerProblems(
    { headers: documented = {} }: DocumentedResponse,
    headers: ApiAnswer['headers'],
  ): readonly string[] {
    return Object.keys(documented).flatMap((name) => {
      const value = headers[name.toLowerCase()];
      if (value === undefined) return [];
      const validate = this.validatorOf(`#/components/headers/${name}/schema`);
      const isInteger = this.document.components.headers[name]!.schema.type === 'integer';
      return validate(isInteger ? Number(value) : value)
        ? []
        : [`${name}: ${String(value)} ${this.ajv.errorsText(validate.errors)}`];
    });
  }

  private responseOf(
    known: KnownOperation,
    status: number,
  ): { readonly pointer: string; readonly documented: DocumentedResponse } | null {
    const found =
      known.operation.responses[String(status)] ??
      (UNNAMED.has(status) ? known.operation.responses['default'] : undefined);
    if (found === undefined) return null;
    if ('$ref' in found)
      return { pointer: found.$ref, documented: this.document.components.responses[found.$ref.split('/').at(-1)!]! };
    const escaped = known.template.replace(/~/g, '~0').replace(/\//g, '~1');
    return {
      pointer: `#/paths/${encodeURIComponent(escaped)}/${known.method.toLowerCase()}/responses/${status}`,
      documented: found,
    };
  }

  private validatorOf(pointer: string): ValidateFunction {
    let validator = this.validators.get(pointer);
    if (validator === undefined) {
      validator = this.ajv.compile({ $ref: `openapi${pointer}` });
      this.validators.set(pointer, validator);
    }
    return validator;
  }
}
