import type { LoggerService } from '@nestjs/common';
import type { FastifyBaseLogger } from 'fastify';

/** Nest's own words in the process's log: its start-up chatter at debug, its warnings and errors as such. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: FastifyBaseLogger) {}

  log(message: unknown, ...context: readonly unknown[]): void {
    this.logger.debug({ context: context.map(String) }, String(message));
  }

  warn(message: unknown, ...context: readonly unknown[]): void {
    this.logger.warn({ context: context.map(String) }, String(message));
  }

  error(message: unknown, ...context: readonly unknown[]): void {
    this.logger.error({ context: context.map(String) }, String(message));
  }
}
