import type { LoggerService } from '@nestjs/common';
import type { FastifyBaseLogger } from 'fastify';

/** Nest's messages in the process's log: start-up messages at debug, warnings and errors unchanged. */
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
