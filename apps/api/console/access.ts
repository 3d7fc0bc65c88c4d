import type { Command } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { AuthenticationGuard } from '#http/pipeline/authentication-guard.js';
import type { OperationInvoker, WriteInput } from '#http/pipeline/operation-invoker.js';

/** The parts of the pipeline that routes without an operation need. */
export interface Access {
  /** Refuses a failed authentication, see `AuthenticationGuard.refuse`. */
  readonly refuse: AuthenticationGuard['refuse'];
  /** Makes this process read keys and sessions again. The others do within a second. */
  readonly forget: () => void;
  /**
   * The current key or session of an admitted request; null where it has ended. See
   * `AuthenticationGuard.current`.
   */
  readonly current: (request: FastifyRequest) => Promise<AuthenticatedKey | null>;
  /** Sends a command over the bus of the listener. */
  readonly send: <Result>(command: Command<Result>) => Promise<Result>;
  /** Decides the write of an operation and records nothing, see `OperationInvoker.decided`. */
  readonly decided: (operationId: string, input: WriteInput) => ReturnType<OperationInvoker['decided']>;
}
