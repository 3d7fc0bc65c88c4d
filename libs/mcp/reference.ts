import type { JsonObject } from '#kernel/json.js';
import type { Route } from '#http/operations/route-table.js';
import { MAX_ANSWER_BYTES, MAX_TOTAL_ANSWER_BYTES, MAX_MESSAGES } from './call-sequence.js';
import { Catalogue } from './catalogue.js';
import { GENERIC_TOOLS } from './generic-tools.js';
import { PROMPT_LIST } from './prompts.js';
import { RESOURCE_TEMPLATES } from './resource-templates.js';

const HEAD = `# The tools for AI clients

\`scripts/write-reference-pages.mjs\` writes this page from the declarations of the operations. [How to connect an AI client](../../how-to/connect-an-ai-client.md) shows a
conversation.

## The endpoint

The path \`/mcp\`, with POST, takes live keys on the address of the API and test keys on that of the sandbox. It speaks the revisions 2026-07-28 (preferred) and 2025-11-25 of the
Model Context Protocol over Streamable HTTP. There are no sessions: any process answers any request, \`initialize\` promises nothing that the next request would have to carry, and GET and DELETE are 405.

- Keys, scopes, budgets, the size of requests (256 KiB) and request ids are those of [every request](../http.md). A request without a valid key gets 401 with \`WWW-Authenticate\`.
- \`Origin\`, where a request has one, must be the address in \`PUBLIC_URL\` (\`SANDBOX_PUBLIC_URL\`), the listener's own on its machine, or one of \`CORS_ORIGINS\`; any other gets 403.
- In the revision 2026-07-28 the headers \`MCP-Protocol-Version\`, \`Mcp-Method\` and \`Mcp-Name\` must say what the message says.
- A refusal that other arguments may avoid (400, 404, 409) is a result with \`isError\`; its text is the error of REST. Any other refusal is an error of JSON-RPC, whose \`data\` has the
  contract's \`code\`, \`details\` and \`request_id\`.
- On the sandbox, \`Sandbox-Simulate\` takes the outcomes that come before an operation: \`authentication_required\`, \`permission_denied\`, \`rate_limited\`, \`internal_error\`,
  \`service_unavailable\`, and a latency ([the sandbox](../sandbox.md)).
- The text of a result is the JSON that REST answers, with characters that hide or turn text escaped; \`structuredContent\` is the same as an object, in whose texts the same characters
  are such escapes too.
- A call that reads answers at most ${MAX_ANSWER_BYTES.toLocaleString('en')} bytes of that JSON. A larger answer is a result with \`isError\` that names the limit: ask for less, for example with a smaller \`limit\`.
- The revision 2025-11-25 may send up to ${MAX_MESSAGES} messages as a batch. Its calls run one after the other. Each draws from the budgets like a request of its own and is refused by itself
  (\`rate_limited\`, with the seconds to wait in \`data.retry_after\`); together they answer at most ${MAX_TOTAL_ANSWER_BYTES.toLocaleString('en')} bytes. A batch with two requests of one id, or with a cancellation, gets 400.
- An argument that is null or an empty text counts as not given. The exception is a field that a write may clear: null clears it.
- \`Accept\` names \`application/json\` and \`text/event-stream\`, as the protocol asks for, or \`*/*\`, or is missing; any other gets 406.

## What happens with an operation

\`list_operations\` says of every operation, and \`_meta["workforce-hr/execution"]\` of every tool, exactly one of:

| Disposition | What happens | Reason |
|---|---|---|
| \`direct\` | it runs now: a read, or a write that the organisation [lets run directly](../../how-to/connect-an-ai-client.md#what-it-may-write-at-once) | |
| \`approval_required\` | it becomes a [write proposal](../../how-to/connect-an-ai-client.md#what-it-may-change), and runs when a person has approved it | |
| \`unavailable\` | it does not run | \`scope\`: the key lacks that of the operation, for a write \`mcp:write\`, or that of the read that shows what would change; \`plan\`, \`approval\`: the organisation may not write; \`not_offered\`: it writes, and AI clients cannot propose it |

The descriptions below are those for an organisation that lets no write run directly. In another one the last sentence of such a tool is "It is written at once."
`;

/** Returns the page of the tools, from the declarations. */
export function mcpReference(routes: readonly Route[]): string {
  const tools = [...new Catalogue(routes).tools.values()].map(({ route, definition }) => ({
    ...definition,
    runs:
      `\`${route.operation.operationId}\`; ` +
      `${route.operation.scope === null ? 'any key' : `scope \`${route.operation.scope}\``}`,
  }));
  const generic = Object.values(GENERIC_TOOLS).map((definition) => ({
    ...definition,
    runs: 'nothing of its own; any key',
  }));
  return [
    HEAD,
    '## Tools\n',
    ...[...tools, ...generic].map(({ name, title, description, inputSchema, runs }) =>
      section(name, title, description, inputSchema, runs),
    ),
    '## Resources\n',
    table(
      ['URI', 'Description'],
      RESOURCE_TEMPLATES.map(({ uriTemplate, description }) => [`\`${uriTemplate}\``, description]),
    ),
    '## Prompts\n',
    table(
      ['Prompt', 'Arguments', 'What it asks for'],
      PROMPT_LIST.map((prompt) => [
        `\`${prompt.name}\``,
        prompt.arguments.map(({ name }) => `\`${name}\``).join(', '),
        prompt.description,
      ]),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function section(
  name: string,
  title: string,
  description: string,
  { properties, required = [] }: JsonObject,
  runs: string,
): string {
  const given = Object.entries(
    properties as Readonly<Record<string, { readonly type?: string; readonly description?: string }>>,
  );
  const rows = given.map(([argument, schema]) => [
    `\`${argument}\``,
    (required as readonly string[]).includes(argument) ? 'yes' : '',
    schema.description ?? '',
  ]);
  const head = `### ${name}\n\n${title}. Runs ${runs}.\n\n${description}\n`;
  return rows.length === 0 ? head : `${head}\n${table(['Argument', 'Required', 'Description'], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}
