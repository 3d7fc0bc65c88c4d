import { Controller, Get, Inject } from '@nestjs/common';
import type { Answer, Call } from '#http/call.js';
import { ROUTES } from '#commands/injection-tokens.js';
import { metadataOf } from './metadata.js';
import { Operation, Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Me, Metadata } from './meta.contract.js';

/** The permissions of a key, and the operations of the API. */
@Controller()
export class MetaController {
  private readonly metadata: ReturnType<typeof metadataOf>;

  constructor(
    @Inject(ROUTES) routes: readonly Route[],
    private readonly mint: IdMint,
  ) {
    this.metadata = metadataOf(routes);
  }

  @Get('me')
  @Operation({
    operationId: 'getMe',
    people: { of: 'none' },
    summary: 'Read the context of the API key',
    description:
      "Returns the organisation, the key's scopes and plan, and whether it is for live or sandbox. Every key may " +
      'call it, whatever its scopes.',
    tags: ['Meta'],
    scope: null,
    capability: 'meta.api_key.read',
    tools: [
      {
        name: 'who_am_i',
        title: "Read this key's permissions",
        description:
          'Reads the organisation that the key acts for, its scopes, and whether it is a sandbox of synthetic ' +
          'people. Use it first after a refusal.',
      },
    ],
    response: Me,
  })
  me(@Receive() { key }: Call): Answer {
    return {
      data: {
        organisation: { id: this.mint.publicOrganisation(key.organisation.id) },
        api_key: { key_id: key.keyId, scopes: [...key.scopes] },
        environment: { type: key.environment, sandbox: key.environment === 'sandbox' },
        actor: { type: key.actor.type, key_id: key.keyId },
      },
    };
  }

  @Get('metadata')
  @Operation({
    operationId: 'getMetadata',
    people: { of: 'none' },
    summary: 'Read the contents of the API',
    description:
      'Returns the operations, fields, scopes, capabilities and event types of this version, and which of them ' +
      'the key may use.',
    tags: ['Meta'],
    scope: null,
    capability: 'meta.catalogue.read',
    response: Metadata,
  })
  catalogue(@Receive() _call: Call): Answer {
    return { data: this.metadata };
  }
}
