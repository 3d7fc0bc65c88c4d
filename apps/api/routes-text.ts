import { isExtensionScope } from '#kernel/scopes.js';
import { SANDBOX_MODULES } from '#composition/modules.js';
import { apiRoutes } from './listener.js';

/** The text of `docs/reference/generated/routes.md`. */
export function routesPage(): string {
  const rows = apiRoutes(SANDBOX_MODULES).map(({ method, path, operation }) => {
    const scope =
      operation.scope === null
        ? 'any key'
        : `\`${operation.scope}\`${isExtensionScope(operation.scope) ? ' (extension)' : ''}`;
    const answer = { single: '', list: ', a list', page: ', a page', none: '' }[operation.responseKind];
    return `| \`${method} ${path}\` | ${scope} | ${operation.summary} | ${operation.successStatus}${answer} |`;
  });
  return [
    '# Routes',
    '',
    'Every operation of the API, below `/api/v1`. [HTTP](../http.md) has the rules that all of them share.',
    '`node scripts/write-reference-pages.mjs` writes this page from the declarations of the operations.',
    '',
    '| Route | Scope | What it does | Success |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
