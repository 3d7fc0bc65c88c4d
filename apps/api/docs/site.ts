import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify';
import { programRoot } from '#embedded-postgres/program-root.js';
import { pathNotFound } from '#http/pipeline/method-table.js';
import { sendBuilt } from '../send-built.js';
import { secured } from './secured.js';

/** The first page, and the address below which all pages are. */
export const SITE_PATH = '/docs/';
/** Where pages were before the site. */
const FORMER_PATH = '/docs/guides';
/** Code to read and copy, of any language. */
const EXAMPLES = 'examples/';

/**
 * Serves the built documentation (docs/.vitepress): a page at its address without `.html`, and the files of
 * pages. Former addresses redirect. Files whose names change with their content are kept by browsers.
 */
export function serveSite(fastify: FastifyInstance, options: RouteShorthandOptions): void {
  const root = join(programRoot(), 'dist', 'docs');
  void fastify.register(fastifyStatic, { root, serve: false, preCompressed: true });
  let site: { readonly files: ReadonlySet<string>; readonly policy: string } | null = null;
  const send = (reply: FastifyReply, path: string): FastifyReply => {
    site ??= { files: new Set(readdirSync(root, { recursive: true, encoding: 'utf8' })), policy: policyOf(root) };
    const file = extname(path) === '' ? `${path}.html` : path;
    if (!site.files.has(file)) throw pathNotFound();
    const isAsset = path.startsWith('assets/');
    const isExample = path.startsWith(EXAMPLES);
    if (isExample) reply.type('text/plain; charset=utf-8');
    return sendBuilt(secured(reply, site.policy), file, { isImmutable: isAsset, contentType: !isExample });
  };
  for (const path of ['/', '/docs', FORMER_PATH, `${FORMER_PATH}/README`])
    fastify.get(path, options, (_, reply) => reply.redirect(SITE_PATH, 302));
  fastify.get<{ Params: { '*': string } }>(`${FORMER_PATH}/*`, options, ({ params }, reply) =>
    reply.redirect(`${SITE_PATH}${encodeURI(params['*'])}`, 301),
  );
  // One route for all of them: a route for each page would take a twentieth of the start.
  fastify.get<{ Params: { '*': string } }>(`${SITE_PATH}*`, options, ({ params }, reply) =>
    send(reply, params['*'] === '' ? 'index' : params['*']),
  );
}

/**
 * All content comes from this address. Scripts in the pages are those that the build wrote; the colours of
 * code are attributes of the pages.
 */
function policyOf(root: string): string {
  const digests = JSON.parse(readFileSync(join(root, 'scripts.json'), 'utf8')) as readonly string[];
  const scripts = ["'self'", ...digests.map((digest) => `'${digest}'`)].join(' ');
  return `default-src 'none'; script-src ${scripts}; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
