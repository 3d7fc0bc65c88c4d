import 'reflect-metadata';
import { openApiText } from '#api/openapi-text.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { closedDocument } from '../support/api/closed-document.js';

/** A place of the document that has a schema and examples beside it, or examples in the schema itself. */
interface ExamplePlace {
  /** The JSON pointer of the schema, each part escaped for a fragment. */
  readonly pointer: string;
  readonly examples: readonly unknown[];
}

type Node = Readonly<Record<string, unknown>>;

const document = JSON.parse(openApiText()) as Node;
const places = [...examplesIn(document, '#')];

/**
 * Finds `example` and `examples` beside a `schema` (bodies, parameters, headers), and the `examples` of
 * schemas.
 */
function* examplesIn(node: unknown, pointer: string): Generator<ExamplePlace> {
  if (typeof node !== 'object' || node === null) return;
  const { schema, example, examples } = node as Node;
  if (schema !== undefined) {
    const named = isNode(examples) ? Object.values(examples).map((one) => (one as Node)['value']) : [];
    const beside = [...(example === undefined ? [] : [example]), ...named];
    if (beside.length > 0) yield { pointer: `${pointer}/schema`, examples: beside };
  } else if (Array.isArray(examples)) {
    yield { pointer, examples };
  }
  for (const [key, child] of Object.entries(node)) {
    // The value of an example is data, whatever its keys are called.
    if (key === 'example' || key === 'examples') continue;
    yield* examplesIn(child, `${pointer}/${encodeURIComponent(key.replace(/~/g, '~0').replace(/\//g, '~1'))}`);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every problem of these places, each as a sentence with its place. */
function problemsOf(found: readonly ExamplePlace[]): readonly string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(closedDocument(document), 'openapi');
  return found.flatMap(({ pointer, examples }) => {
    const validate = ajv.compile({ $ref: `openapi${pointer}` });
    return examples.flatMap((example) =>
      validate(example)
        ? []
        : [`${decodeURIComponent(pointer)}: ${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`],
    );
  });
}

describe('the examples of the OpenAPI document', () => {
  it('are all valid by the schema beside them', () => {
    expect(problemsOf(places)).toEqual([]);
  });
});
