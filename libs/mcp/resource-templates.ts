import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { HttpError } from '#http/errors.js';
import type { Caller } from './caller.js';
import type { Catalogue } from './catalogue.js';
import { protocolErrorAfter } from './errors.js';
import { plainJson } from './plain-json.js';
import type { Reading } from './reading.js';

const SCHEME = 'workforce:';
const JSON_TYPE = 'application/json';

/** A family of resources: each is the response of an operation for the values in its URI (RFC 6570). */
interface Template {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operationId: string;
  /** Matches the host and the path of a URI; its groups are named after arguments. */
  readonly pattern: RegExp;
}

const TEMPLATES: readonly Template[] = [
  {
    uriTemplate: 'workforce://people/{person_id}',
    name: 'person',
    title: 'A person',
    description: "A person's identity and current job.",
    operationId: 'getPerson',
    pattern: /^people\/(?<person_id>[^/]+)$/,
  },
  {
    uriTemplate: 'workforce://people/{person_id}/timeline{?as_of,known_at}',
    name: 'timeline',
    title: "A person's employment on a day",
    description: 'The employment of a person as of a day, and as it was known at a time.',
    operationId: 'getTimeline',
    pattern: /^people\/(?<person_id>[^/]+)\/timeline$/,
  },
  {
    uriTemplate: 'workforce://org-units/{org_unit_id}',
    name: 'org_unit',
    title: 'An org unit',
    description: 'A part of the organisation and its position in the tree.',
    operationId: 'getOrgUnit',
    pattern: /^org-units\/(?<org_unit_id>[^/]+)$/,
  },
];

/** The templates for `resources/templates/list`. */
export const RESOURCE_TEMPLATES = TEMPLATES.map(({ uriTemplate, name, title, description }) => ({
  uriTemplate,
  name,
  title,
  description,
  mimeType: JSON_TYPE,
}));

/** Reads resources through their operations. */
export class ResourceReads {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly reading: Reading,
  ) {}

  /** Returns a resource as JSON. Throws an error of the protocol. */
  async read(caller: Caller, uri: string): Promise<ReadResourceResult> {
    try {
      const { template, values } = resolve(uri);
      const route = this.catalogue.operations.get(template.operationId);
      if (route === undefined) throw new Error(`no operation ${template.operationId}`);
      const body = await this.reading.read(route, caller, values);
      caller.turns.answerRead(body);
      return { contents: [{ uri, mimeType: JSON_TYPE, text: plainJson(body) }] };
    } catch (cause) {
      throw protocolErrorAfter(cause, caller);
    }
  }
}

function resolve(uri: string): { readonly template: Template; readonly values: Readonly<Record<string, string>> } {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (url !== null && url.protocol === SCHEME) {
    const address = `${url.host}${url.pathname}`;
    for (const template of TEMPLATES) {
      const groups = template.pattern.exec(address)?.groups;
      if (groups !== undefined) return { template, values: { ...groups, ...Object.fromEntries(url.searchParams) } };
    }
  }
  throw new HttpError('not_found', { message: 'There is no such resource.' });
}
