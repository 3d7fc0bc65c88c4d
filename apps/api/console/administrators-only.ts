import type { FastifyRequest } from 'fastify';
import { HttpError } from '#http/errors.js';
import { RequestGuard } from '#http/pipeline/guards.js';
import { stateOf } from '#http/pipeline/request-state.js';

/** Answers 403 unless an administrator is signed in; for `@UseGuards`, after the guards of every route. */
export class AdministratorsOnly extends RequestGuard {
  /** @param act - completes "Only administrators may …" */
  constructor(private readonly act: string) {
    super();
  }

  protected override check(request: FastifyRequest): void {
    if (stateOf(request).key?.session?.role !== 'administrator')
      throw new HttpError('permission_denied', { message: `Only administrators may ${this.act}.` });
  }
}
