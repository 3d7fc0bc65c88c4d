import type { Type } from '@nestjs/common';
import type { Answer, Call } from '../call.js';
import { assertValid, type TextValues } from '../fields/check.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { compiledOf } from '../operation.js';
import type { Route } from '../operations/route-table.js';
import { deniedBy, obstacleOf } from './authoriser.js';

/** The input of a read that is not a request of its own: the values that its path and its query would have, as text. */
export interface ReadInput {
  readonly requestId: string;
  readonly key: AuthenticatedKey;
  readonly address: () => string;
  readonly parameters: TextValues;
  readonly query: TextValues;
}

/**
 * Runs operations for requests that are not their own, such as calls of tools: with the same permission, the same checks, the same controller
 * and the same serialiser, so that a caller gets the bytes that the route would have answered. The request that invokes has already
 * been authenticated and counted.
 */
export class OperationInvoker {
  /** @param controllerOf returns the instance of a controller */
  constructor(private readonly controllerOf: (controller: Type) => object) {}

  /** Returns the body that a read answers with. Throws what the pipeline turns into an error, see `toHttpError`. */
  async read(route: Route, { requestId, key, address, parameters, query }: ReadInput): Promise<string> {
    const { operation } = route;
    // The request that invokes has drawn from the budgets of a read, and from no other.
    if (operation.write !== undefined || operation.rateLimit !== undefined) throw new Error(`${operation.operationId} is not a plain read`);
    const obstacle = obstacleOf(operation, key);
    if (obstacle !== null) throw deniedBy(obstacle, operation);
    const { checkParameters, checkQuery, serialise } = compiledOf(operation);
    const checked = { parameters: checkParameters(parameters), query: checkQuery(query) };
    assertValid(checked.query, checked.parameters);
    const call: Call<undefined, unknown, unknown> = {
      requestId,
      key,
      address,
      body: undefined,
      query: checked.query.value,
      parameters: checked.parameters.value,
      ifMatch: null,
      command: null,
    };
    const { data, nextCursor = null } = await this.handlerOf(route)(call);
    return serialise!(data, nextCursor);
  }

  private handlerOf({ controller, handler }: Route): (call: Call<undefined, unknown, unknown>) => Promise<Answer> | Answer {
    const instance = this.controllerOf(controller) as Record<string, (call: Call<undefined, unknown, unknown>) => Promise<Answer> | Answer>;
    return (call) => instance[handler]!(call);
  }
}
