import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Controller, Get, Header, Inject, Module, Param, Redirect, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PUBLIC_URL, ROUTES } from '#commands/injection-tokens.js';
import { Endpoint } from '#http/endpoint.js';
import type { Route } from '#http/operations/route-table.js';
import { pathNotFound } from '#http/pipeline/method-table.js';
import { builtFiles, sendBuilt } from '../built-files.js';
import { openApiDocument } from '../openapi/document.js';
import { PAGE, START } from './reader-page.js';

/** The first page, and the address below which all pages are. */
const SITE_PATH = '/docs/';
/** Code to read and copy, of any language. */
const EXAMPLES = 'examples/';

/**
 * All content comes from this address: no script, font or picture of another site. The reader writes its
 * styles into the page.
 */
const READER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src " +
  "'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document, created on first use. */
@Controller('openapi.json')
class OpenApiController {
  private document: string | null = null;

  constructor(
    @Inject(ROUTES) private readonly routes: readonly Route[],
    @Inject(PUBLIC_URL) private readonly publicUrl: string | null,
  ) {}

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  @Endpoint({ callers: 'public' })
  read(): string {
    return (this.document ??= JSON.stringify(openApiDocument(this.routes, this.publicUrl)));
  }
}

/** Redirects `/` and the former addresses of the documentation to its pages. */
@Controller()
class FormerAddressesController {
  @Get(['/', 'docs', 'docs/guides', 'docs/guides/README'])
  @Redirect(SITE_PATH, 302)
  @Endpoint({ callers: 'public' })
  first(): void {}

  @Get('docs/guides/*')
  @Redirect(SITE_PATH, 301)
  @Endpoint({ callers: 'public' })
  page(@Param('*') path: string): { readonly url: string } {
    return { url: `${SITE_PATH}${encodeURI(path)}` };
  }
}

/** A page to read and try the API, and the built documentation (docs/.vitepress), all without a key. */
@Controller('docs')
class DocsController {
  private site: { readonly files: ReadonlySet<string>; readonly policy: string } | null = null;

  @Get('api')
  @Header('content-type', 'text/html; charset=utf-8')
  @Endpoint({ callers: 'public' })
  reader(@Res({ passthrough: true }) reply: FastifyReply): string {
    secured(reply, READER_POLICY);
    return PAGE;
  }

  @Get('start.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Endpoint({ callers: 'public' })
  start(@Res({ passthrough: true }) reply: FastifyReply): string {
    secured(reply, READER_POLICY);
    return START;
  }

  /**
   * A page at its address without `.html`, and the files of pages. Browsers cache files whose names change
   * with their content. One route for all: a route for each page would take a twentieth of the start-up time.
   */
  @Get('*')
  @Endpoint({ callers: 'public' })
  async page(@Param('*') address: string, @Res() reply: FastifyReply): Promise<void> {
    const path = address === '' ? 'index' : address;
    this.site ??= {
      files: new Set(readdirSync(builtFiles('docs'), { recursive: true, encoding: 'utf8' })),
      policy: policyOfSite(),
    };
    const file = extname(path) === '' ? `${path}.html` : path;
    if (!this.site.files.has(file)) throw pathNotFound();
    const isExample = path.startsWith(EXAMPLES);
    if (isExample) reply.type('text/plain; charset=utf-8');
    const options = { isImmutable: path.startsWith('assets/'), contentType: !isExample };
    await sendBuilt(secured(reply, this.site.policy), `docs/${file}`, options);
  }
}

/** Adds a content security policy (CSP Level 3) and the headers that go with it. */
function secured(reply: FastifyReply, policy: string): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}

/**
 * All content comes from this address. Scripts in the pages are those that the build wrote; the colours of
 * code are attributes of the pages.
 */
function policyOfSite(): string {
  const digests = JSON.parse(readFileSync(builtFiles('docs', 'scripts.json'), 'utf8')) as readonly string[];
  const scripts = ["'self'", ...digests.map((digest) => `'${digest}'`)].join(' ');
  return `default-src 'none'; script-src ${scripts}; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The documents that explain the API, on both addresses. */
@Module({ controllers: [OpenApiController, FormerAddressesController, DocsController] })
export class DocsModule {}
