import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify';
import { programRoot } from '#embedded-postgres/program-root.js';
import { pathNotFound } from '#http/pipeline/method-table.js';
import { CompressedFile } from '../compressed-file.js';
import { GUIDE_STYLE } from './guide-page.js';
import { GUIDES_PATH, guidesOf } from './guides.js';
import { PAGE, START } from './reader-page.js';

/**
 * All content comes from this address: no script, font or picture of another site. The reader writes its
 * styles into the page.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Guides run no scripts. */
const GUIDES_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the OpenAPI document, a page to read and try it, and the guides, all without a key; `/` redirects
 * there. The document is created on first use.
 */
export function serveDocuments(fastify: FastifyInstance, openApi: () => string): void {
  const publicly = { config: { isPublic: true } };
  let document: string | null = null;
  const reader = new CompressedFile(readerFile());
  fastify.get('/api/v1/openapi.json', publicly, (_, reply) =>
    reply.type('application/json; charset=utf-8').send((document ??= openApi())),
  );
  fastify.get('/', publicly, (_, reply) => reply.redirect('/docs', 302));
  fastify.get('/docs', publicly, (_, reply) => secured(reply).type('text/html; charset=utf-8').send(PAGE));
  fastify.get('/docs/start.js', publicly, (_, reply) =>
    secured(reply).type('text/javascript; charset=utf-8').send(START),
  );
  fastify.get('/docs/reader.js', publicly, (request, reply) =>
    reader.send(request, secured(reply).type('text/javascript; charset=utf-8')),
  );
  fastify.get('/docs/guides.css', publicly, (_, reply) =>
    secured(reply, GUIDES_POLICY).type('text/css; charset=utf-8').send(GUIDE_STYLE),
  );
  serveGuides(fastify, publicly);
}

/** One route for all of them: a route for each page would take a twentieth of the start. */
function serveGuides(fastify: FastifyInstance, options: RouteShorthandOptions): void {
  const guides = new Map(guidesOf(programRoot()).map((guide) => [guide.path, guide]));
  const send = (reply: FastifyReply, path: string): FastifyReply => {
    const guide = guides.get(path);
    if (guide === undefined) throw pathNotFound();
    return secured(reply, GUIDES_POLICY).type(guide.mediaType).send(guide.content());
  };
  fastify.get(GUIDES_PATH, options, (_, reply) => send(reply, GUIDES_PATH));
  fastify.get<{ Params: { '*': string } }>(`${GUIDES_PATH}/*`, options, ({ params }, reply) =>
    send(reply, `${GUIDES_PATH}/${params['*']}`),
  );
}

/** The reader that Scalar publishes in one file for browsers. */
function readerFile(): string {
  const entry = createRequire(join(programRoot(), 'package.json')).resolve('@scalar/fastify-api-reference');
  return join(dirname(entry), 'js', 'standalone.js');
}

function secured(reply: FastifyReply, policy = CONTENT_SECURITY_POLICY): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}
