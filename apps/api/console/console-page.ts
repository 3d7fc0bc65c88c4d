import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify';
import { programRoot } from '#embedded-postgres/program-root.js';
import { sendBuilt } from '../send-built.js';

/** The types of the console's built files; others are not served. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const NONCE_PLACE = '__STYLE_NONCE__';

/**
 * Serves the built console (apps/console): its page at every address below `/console` that is not another
 * route, and its files.
 */
export function serveConsole(fastify: FastifyInstance): void {
  const options = { config: { isPublic: true } };
  serveBuiltPage(fastify, { name: 'index.html', isAtEveryAddress: true, options });
}

/** A page of the console's build. */
export interface BuiltPage {
  /** The name of its file, such as `index.html`. */
  readonly name: string;
  /** Whether it is served at every address below `/console` that is not a file, or at `/console` alone. */
  readonly isAtEveryAddress: boolean;
  /** The options of every route. */
  readonly options: RouteShorthandOptions;
}

/**
 * Serves a page at `/console`, and the files that it loads below. The page may run only scripts of this
 * service, and no inline scripts; the styles of the component library carry a nonce (CSP Level 3).
 */
export function serveBuiltPage(fastify: FastifyInstance, { name, isAtEveryAddress, options }: BuiltPage): void {
  const folder = join(programRoot(), 'dist', 'apps', 'console');
  const files = new Set(existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []);
  let text: string | null = null;
  const page = (reply: FastifyReply): FastifyReply => {
    text ??= readFileSync(join(folder, name), 'utf8');
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .header('content-security-policy', policy(nonce))
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(text.replace(NONCE_PLACE, nonce));
  };
  // A scope of its own, because the board of jobs decorates the same server with `sendFile`.
  void fastify.register(async (scope) => {
    await scope.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
    scope.get('/console', options, (_, reply) => page(reply));
    // One route for all files, because a route takes longer to add than a file to find.
    scope.get<{ Params: { '*': string } }>('/console/*', options, ({ params }, reply) => {
      const path = params['*'];
      const mediaType = MEDIA_TYPES[extname(path)];
      if (mediaType !== undefined && files.has(path)) {
        reply.type(mediaType).header('x-content-type-options', 'nosniff');
        return sendBuilt(reply, path, { isImmutable: path.startsWith('assets'), contentType: false });
      }
      return isAtEveryAddress ? page(reply) : reply.callNotFound();
    });
  });
}

function policy(nonce: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
