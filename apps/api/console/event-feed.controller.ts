import { Controller, Get, Header, Req, StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { Receive } from '#http/operation.js';
import { EventFeed, FEED_SCOPE } from './event-feed.js';

/** The feed of events (docs/reference/access.md), for sessions and API keys. */
@Controller('console/events')
export class EventFeedController {
  constructor(private readonly feed: EventFeed) {}

  // Without HEAD: a stream's headers alone have no use.
  @Get()
  @Header('x-accel-buffering', 'no')
  @Endpoint({ name: 'followEvents', callers: 'all', scopes: [FEED_SCOPE], excludesHead: true })
  async follow(@Receive() { key }: Call, @Req() request: FastifyRequest): Promise<StreamableFile> {
    return new StreamableFile(await this.feed.open(request, key), { type: 'text/event-stream; charset=utf-8' });
  }
}
