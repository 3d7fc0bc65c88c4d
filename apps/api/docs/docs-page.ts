import type { FastifyInstance } from 'fastify';
import { PAGE, START } from './reader-page.js';
import { secured } from './secured.js';
import { serveSite } from './site.js';

/**
 * All content comes from this address: no script, font or picture of another site. The reader writes its
 * styles into the page.
 */
const READER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the OpenAPI document, a page to read and try it, and the documentation, all without a key; `/`
 * redirects there. The document is created on first use.
 */
export function serveDocuments(fastify: FastifyInstance, openApi: () => string): void {
  const publicly = { config: { isPublic: true } };
  let document: string | null = null;
  fastify.get('/api/v1/openapi.json', publicly, (_, reply) =>
    reply.type('application/json; charset=utf-8').send((document ??= openApi())),
  );
  fastify.get('/docs/api', publicly, (_, reply) =>
    secured(reply, READER_POLICY).type('text/html; charset=utf-8').send(PAGE),
  );
  fastify.get('/docs/start.js', publicly, (_, reply) =>
    secured(reply, READER_POLICY).type('text/javascript; charset=utf-8').send(START),
  );
  serveSite(fastify, publicly);
}
