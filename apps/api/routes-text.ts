import { isExtensionScope } from '#kernel/scopes.js';
import { SANDBOX_MODULES } from '#resources/modules.js';
import { apiRoutes } from './listener.js';

const BEGIN = '<!-- Written by scripts/openapi.mjs. -->';
const END = '<!-- The end of what it writes. -->';

/** `docs/reference/http.md` with the table of all routes between its two marks. Throws where the page lacks them. */
export function withRoutes(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the page lacks the marks "${BEGIN}" and "${END}"`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${routesText()}\n\n${page.slice(end)}`;
}

function routesText(): string {
  const rows = apiRoutes(SANDBOX_MODULES).map(({ method, path, operation }) => {
    const scope = operation.scope === null ? 'any key' : `\`${operation.scope}\`${isExtensionScope(operation.scope) ? ' (extension)' : ''}`;
    const answer = { single: '', list: ', a list', page: ', a page', none: '' }[operation.responseKind];
    return `| \`${method} ${path}\` | ${scope} | ${operation.summary} | ${operation.successStatus}${answer} |`;
  });
  return ['| Route | Scope | What it does | Success |', '|---|---|---|---|', ...rows].join('\n');
}
