import { Controller, Get, HttpCode, Inject, Patch, Post, type Type, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { revisionTag } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { Endpoint } from '#http/endpoint.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { Receive } from '#http/operation.js';
import { byCreatedAt, PageQuery, readPage } from '#http/pages.js';
import { withoutReceipt } from '#http/send.js';
import { found } from '#kernel/rejection.js';
import { AdministratorsOnly } from '../administrators-only.js';
import type { SendCommand, SettingsResource, SettingsRow } from './settings-resources.js';

interface OneParameters {
  readonly id: string;
}

const SESSIONS = { callers: 'sessions' } as const;
/** Only administrators change settings that the contract does not let API keys change. */
export const CHANGERS = new AdministratorsOnly('change these settings');

/**
 * The routes of a kind of resource in the settings of the organisation. They are not operations of the
 * contract: API keys cannot use them.
 */
export function settingsController(kind: string, resource: SettingsResource): Type {
  const { list, isPaged, find, create, change, steps, newBody, changeBody } = resource;

  @Controller(`console/product-settings/${kind}`)
  @UseGuards(CHANGERS)
  class SettingsController {
    constructor(
      @Inject(DATABASE_POOL) private readonly pool: Pool,
      private readonly cursors: CursorCodec,
      private readonly commands: CommandBus,
    ) {}

    @Get()
    @Endpoint({ ...SESSIONS, name: 'listSettings', query: PageQuery })
    async list(@Receive() { key, query }: Call<undefined, PageQuery>): Promise<object> {
      const organisationId = key.organisation.id;
      const read = (page: Parameters<SettingsResource['list']>[2]) => list(this.pool, organisationId, page);
      if (!isPaged) return { data: (await read({ after: null, count: 0 })).map(present), pagination: {} };
      const request = { organisationId, filters: {}, query };
      const { rows, nextCursor } = await readPage(
        this.cursors,
        byCreatedAt(`settings ${kind}`),
        request,
        (after, count) => read({ after, count }),
      );
      return { data: rows.map(present), pagination: nextCursor === null ? {} : { next_cursor: nextCursor } };
    }

    @Get(':id')
    @Endpoint({ ...SESSIONS, name: 'getSetting' })
    async read(@Receive() { key, parameters }: Call<undefined, unknown, OneParameters>): Promise<object> {
      return this.rowOf(key, parameters.id);
    }

    @Post()
    @Endpoint({ ...SESSIONS, name: 'createSetting', writes: true, body: newBody })
    async create(@Receive() call: Call<object>): Promise<object> {
      const id = await create(this.sender(call), call.body);
      return this.rowOf(call.key, id);
    }

    @Patch(':id')
    @Endpoint({ ...SESSIONS, name: 'changeSetting', writes: true, body: changeBody })
    async change(@Receive() call: Call<object, unknown, OneParameters>): Promise<object> {
      const { id } = call.parameters;
      found(await find(this.pool, call.key.organisation.id, id));
      await change(this.sender(call), id, call.ifMatch, call.body);
      return this.rowOf(call.key, id);
    }

    @Post(':id/:step')
    @HttpCode(200)
    @Endpoint({ ...SESSIONS, name: 'stepOfSetting', writes: true })
    async step(@Receive() call: Call<unknown, unknown, OneParameters & { readonly step: string }>): Promise<object> {
      const { id, step } = call.parameters;
      const take = found(Object.hasOwn(steps, step) ? steps[step] : null);
      const row = found(await find(this.pool, call.key.organisation.id, id));
      await take(this.sender(call), id, call.ifMatch);
      return { data: present((await find(this.pool, call.key.organisation.id, id)) ?? row) };
    }

    private async rowOf(key: AuthenticatedKey, id: string): Promise<object> {
      return { data: present(found(await find(this.pool, key.organisation.id, id))) };
    }

    private sender(call: Pick<Call<unknown>, 'command'>): SendCommand {
      return (commandOf) => this.commands.execute(commandOf(withoutReceipt(call)));
    }
  }
  return SettingsController;
}

/** A row with the entity tag that `If-Match` of a change names. */
export function present<Row extends Pick<SettingsRow, 'revision'>>({ revision, ...row }: Row): object {
  return { ...row, entity_tag: revisionTag({ revision }) };
}
