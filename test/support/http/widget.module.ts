import { Controller, Delete, Get, Inject, Module, Patch, Post } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { WritingServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { DatabaseUnavailableError } from '#database/errors.js';
import { type EventStore, StoreUnavailableError, WrongExpectedRevisionError } from '#event-store/event-store.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DATABASE_POOL, EVENT_STORE } from '#commands/injection-tokens.js';
import { requireMatch } from '#commands/handle-command.js';
import { Operation, Receive } from '#http/operation.js';
import { isSafeInteger, type PagedList, readPage } from '#http/pages.js';
import { IdMint } from '#identifiers/id-mint.js';
import { McpController } from '#mcp/mcp.controller.js';
import { WriteProposals } from '#mcp/proposal/write-proposals.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import { Projector } from '#projections/projector.js';
import {
  ChangeWidget,
  CreateWidget,
  MisbehaveWidget,
  Widget,
  WidgetParameters,
  WidgetsQuery,
} from './widget.contract.js';

/** All widgets of a test file, in order of creation. */
export const widgets = new Map<string, Widget & { organisationId: string; secret: string }>();
/** The promise that a `wait` request waits for. */
export const gate = { open: Promise.resolve(), waiting: 0 };

const SHARED = { tags: ['Widgets'], responseKind: 'single', successStatus: 200 } as const;

const WIDGETS: PagedList<{ readonly next: number }, { readonly index: number }> = {
  route: 'listWidgets',
  place: { next: isSafeInteger },
  placeOf: ({ index }) => ({ next: index + 1 }),
};

/** A resource for tests only, with one route of every kind that the pipeline supports. */
@Controller('widgets')
export class WidgetController {
  private readonly services: WritingServices;

  constructor(
    private readonly cursors: CursorCodec,
    private readonly mint: IdMint,
    @Inject(DATABASE_POOL) executor: Pool,
    @Inject(EVENT_STORE) store: EventStore,
  ) {
    this.services = { executor, store, projector: new Projector([], { now: () => new Date() }) };
  }

  @Get()
  @Operation({
    ...SHARED,
    operationId: 'listWidgets',
    summary: 'List widgets',
    scope: 'org_units:read',
    capability: 'widgets.list',
    query: WidgetsQuery,
    response: Widget,
    responseKind: 'page',
  })
  async list(@Receive() { query, key }: Call<undefined, WidgetsQuery>): Promise<Answer> {
    const organisationId = key.organisation.id;
    const request = { organisationId, filters: { sort: query.sort ?? null }, query };
    const { rows, nextCursor } = await readPage(this.cursors, WIDGETS, request, (after, count) => {
      const own = [...widgets.values()].filter((widget) => widget.organisationId === organisationId);
      const start = after?.next ?? 0;
      return Promise.resolve(own.map((widget, index) => ({ ...widget, index })).slice(start, start + count));
    });
    return { data: rows, nextCursor };
  }

  @Post()
  @Operation({
    ...SHARED,
    operationId: 'createWidget',
    summary: 'Create a widget',
    scope: 'org_units:write',
    capability: 'widgets.create',
    body: CreateWidget,
    response: Widget,
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
  })
  create(@Receive() { body, key, command }: Call<CreateWidget>): Promise<Answer> {
    const id = this.mint.prefixed('orgUnit', key.organisation.id, ...command!.seed);
    // This API has no people.
    if (typeof body.owner_id === 'string') throw new RejectedError(notFound('owner_id', 'there is no such person'));
    if (body.name === 'taken') throw new RejectedError(conflict('name', 'is taken already'));
    const widget = { id, name: body.name, colour: body.colour ?? null, parts: body.parts ?? [], version: 1 };
    return this.write(command!, { data: { ...widget, secret: 'never shown' }, entityTag: '1' }, () => {
      widgets.set(id, { ...widget, organisationId: key.organisation.id, secret: 'never shown' });
    });
  }

  @Get(':widgetId')
  @Operation({
    ...SHARED,
    operationId: 'getWidget',
    summary: 'Read a widget',
    scope: 'org_units:read',
    capability: 'widgets.read',
    parameters: WidgetParameters,
    response: Widget,
    entityTag: true,
  })
  read(@Receive() call: Call<undefined, unknown, WidgetParameters>): Answer {
    const widget = find(call);
    return { data: widget, entityTag: String(widget.version) };
  }

  @Patch(':widgetId')
  @Operation({
    ...SHARED,
    operationId: 'changeWidget',
    summary: 'Change a widget',
    scope: 'org_units:write',
    capability: 'widgets.change',
    parameters: WidgetParameters,
    body: ChangeWidget,
    response: Widget,
    write: { ifMatch: 'required' },
    entityTag: true,
  })
  change(@Receive() call: Call<ChangeWidget, unknown, WidgetParameters>): Promise<Answer> {
    const widget = find(call);
    requireMatch(call.ifMatch, String(widget.version));
    const changed = { ...widget, ...call.body, version: widget.version + 1 };
    return this.write(
      call.command!,
      { data: changed, entityTag: String(changed.version) },
      () => void widgets.set(widget.id, changed),
    );
  }

  @Delete(':widgetId')
  @Operation({
    ...SHARED,
    operationId: 'deleteWidget',
    summary: 'Delete a widget',
    scope: 'webhooks:manage',
    capability: 'widgets.delete',
    parameters: WidgetParameters,
    response: null,
    responseKind: 'none',
    successStatus: 204,
    write: { ifMatch: 'none' },
    rateLimit: 'webhook',
  })
  remove(@Receive() call: Call<undefined, unknown, WidgetParameters>): Promise<Answer> {
    const { id } = find(call);
    return this.write(call.command!, {}, () => void widgets.delete(id));
  }

  @Post(':widgetId/rotate')
  @Operation({
    ...SHARED,
    operationId: 'rotateWidget',
    summary: 'Show something once',
    scope: 'webhooks:manage',
    capability: 'widgets.rotate',
    parameters: WidgetParameters,
    response: Widget,
    write: { ifMatch: 'none' },
    redactForReplay: (data) => ({ ...data, colour: null }),
  })
  rotate(@Receive() call: Call<undefined, unknown, WidgetParameters>): Answer {
    return { data: { ...find(call), colour: 'red' } };
  }

  @Post(':widgetId/misbehave')
  @Operation({
    ...SHARED,
    operationId: 'misbehaveWidget',
    summary: 'Go wrong',
    scope: 'org_units:write',
    capability: 'widgets.misbehave',
    parameters: WidgetParameters,
    body: MisbehaveWidget,
    response: Widget,
    write: { ifMatch: 'honoured' },
  })
  async misbehave(@Receive() call: Call<MisbehaveWidget, unknown, WidgetParameters>): Promise<Answer> {
    const widget = find(call);
    if (call.body.how === 'incomplete') return { data: { ...widget, name: undefined } };
    return this.write(call.command!, { data: widget }, async () => MISBEHAVIOUR[call.body.how]?.());
  }

  /** Does the work within the transaction that stores the receipt. */
  private write(context: CommandContext, answer: Answer, work: () => Promise<void> | void): Promise<Answer> {
    return commit(this.services, context, ({ unit }) => {
      unit.write(async () => work());
      return Promise.resolve(() => answer);
    });
  }
}

/** No tool of widgets writes, so that the endpoint for AI clients proposes nothing. */
@Module({
  controllers: [WidgetController, McpController],
  providers: [{ provide: WriteProposals, useValue: {} }],
})
export class WidgetModule {}

const MISBEHAVIOUR: Readonly<Record<string, () => Promise<void> | void>> = {
  crash: () => {
    throw new Error('a secret in a message');
  },
  store_down: () => {
    throw new StoreUnavailableError('down');
  },
  database_down: () => {
    throw new DatabaseUnavailableError();
  },
  lost_race: () => {
    throw new WrongExpectedRevisionError('widget', 1, 2);
  },
  conflict: () => {
    throw new RejectedError(conflict('how', 'cannot be'));
  },
  wait: async () => {
    gate.waiting += 1;
    await gate.open;
    await pause(1);
  },
};

function find({
  key,
  parameters,
}: Call<unknown, unknown, WidgetParameters>): Widget & { organisationId: string; secret: string } {
  const widget = widgets.get(parameters.widgetId);
  if (widget === undefined || widget.organisationId !== key.organisation.id) {
    throw new RejectedError({ ...notFound('id', ''), message: 'There is no such resource.', details: [] });
  }
  return widget;
}
