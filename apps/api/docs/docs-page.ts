import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import swaggerUiDirectory from 'swagger-ui-dist/absolute-path.js';

/** Everything comes from this address: no script, style or font of anybody else, and none written into the page. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Workforce HR Public API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null, tryItOutEnabled: true });
`;

const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Serves the OpenAPI document and a page to read it, both without a key. */
export function serveDocuments(fastify: FastifyInstance, openApi: string): void {
  const publicly = { config: { isPublic: true } };
  fastify.get('/api/v1/openapi.json', publicly, (_, reply) => reply.type('application/json; charset=utf-8').send(openApi));
  fastify.get('/docs', publicly, (_, reply) => secured(reply).type('text/html; charset=utf-8').send(PAGE));
  fastify.get('/docs/start.js', publicly, (_, reply) => secured(reply).type('text/javascript; charset=utf-8').send(START));
  for (const [name, type] of Object.entries(FILES)) {
    const file = join(swaggerUiDirectory(), name);
    fastify.get(`/docs/${name}`, publicly, (_, reply) => secured(reply).type(type).send(createReadStream(file)));
  }
}

function secured(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}
