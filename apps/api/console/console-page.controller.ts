import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Endpoint } from '#http/endpoint.js';
import { ConsoleBuild } from './console-build.js';

/** The console's files, and its page at every other address below `/console` that is not another route. */
@Controller('console')
export class ConsolePageController {
  private readonly build = new ConsoleBuild('index.html');

  @Get()
  @Endpoint({ callers: 'public' })
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.build.page(reply);
  }

  // One route for all files, because adding a route takes longer than finding a file.
  @Get('*')
  @Endpoint({ callers: 'public' })
  async file(@Param('*') path: string, @Res() reply: FastifyReply): Promise<void> {
    await (this.build.send(reply, path) ?? reply.send(this.build.page(reply)));
  }
}
