import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { builtFiles, sendBuilt } from '../built-files.js';

/** The types of the console's built files; others are not served. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const NONCE_PLACE = '__STYLE_NONCE__';
const FOLDER = 'apps/console';

/** A page of the built console (apps/console), and the files that it loads. */
export class ConsoleBuild {
  private readonly files = new Set(
    existsSync(builtFiles(FOLDER)) ? readdirSync(builtFiles(FOLDER), { recursive: true, encoding: 'utf8' }) : [],
  );
  private text: string | null = null;

  /** @param name - the name of the page's file, such as `index.html` */
  constructor(private readonly name: string) {}

  /**
   * Returns the page, and sets its headers: it may run only scripts of this service, and no inline scripts;
   * the styles of the component library carry a nonce (CSP Level 3).
   */
  page(reply: FastifyReply): string {
    this.text ??= readFileSync(join(builtFiles(FOLDER), this.name), 'utf8');
    const nonce = randomBytes(16).toString('base64url');
    reply
      .header('content-security-policy', policy(nonce))
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8');
    return this.text.replace(NONCE_PLACE, nonce);
  }

  /** Sends a file; null if the build has no such file to serve. */
  send(reply: FastifyReply, path: string): FastifyReply | null {
    const mediaType = MEDIA_TYPES[extname(path)];
    if (mediaType === undefined || !this.files.has(path)) return null;
    reply.type(mediaType).header('x-content-type-options', 'nosniff');
    return sendBuilt(reply, `${FOLDER}/${path}`, { isImmutable: path.startsWith('assets'), contentType: false });
  }
}

function policy(nonce: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
