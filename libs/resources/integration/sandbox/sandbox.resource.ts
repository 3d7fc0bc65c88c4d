import { SANDBOXES_SCHEMA } from './sandbox.schema.js';
import { defineResource } from '../../resource.js';
import { SandboxEventController } from './sandbox-event.controller.js';
import { sandboxEventAggregate } from './sandbox-event.decider.js';
import { TriggerSandboxEventHandler } from './sandbox-event.handlers.js';
import { SANDBOX_COMMAND_HANDLERS } from './sandbox.handlers.js';
import { sandboxAggregate } from './sandbox.decider.js';
import { sandboxProjection } from './sandbox.projection.js';

/** The tenants for which the test keys of organisations act. */
export const sandboxResource = defineResource({
  area: 'integration',
  aggregates: [sandboxAggregate],
  projections: [sandboxProjection],
  schema: SANDBOXES_SCHEMA,
  handlers: SANDBOX_COMMAND_HANDLERS,
});

/** Webhook events that a caller of the sandbox triggers. */
export const sandboxEventResource = defineResource({
  area: 'integration',
  aggregates: [sandboxEventAggregate],
  controllers: [SandboxEventController],
  providers: [TriggerSandboxEventHandler],
});
