import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField } from '#http/errors.js';
import { TextField } from '#http/fields.js';
import { Receive } from '#http/operation.js';
import type { Scope } from '#kernel/scopes.js';

const MAX_IDS = 100;
/** Of an id. */
const MAX_LENGTH = 60;

interface NamedRows {
  readonly table: string;
  /** The columns of the id and of the name. */
  readonly id: string;
  readonly name: string;
  /** Callers with one of these scopes read the names. */
  readonly scopes: readonly Scope[];
}

const labelled = (table: string, ...scopes: readonly Scope[]): NamedRows => ({
  table,
  id: 'id',
  name: 'label',
  scopes,
});

/** Those who decide proposals see whose they are. */
const ACTORS = ['access:manage', 'audit:read', 'people:write'] as const;

const NAMED: readonly NamedRows[] = [
  { table: 'people', id: 'person_id', name: 'display_name', scopes: ['people:read'] },
  { table: 'org_units', id: 'id', name: 'name', scopes: ['org_units:read'] },
  labelled('locations', 'organisation:read'),
  labelled('work_places', 'reference:read'),
  labelled('work_types', 'reference:read'),
  labelled('document_types', 'reference:read'),
  labelled('time_off_categories', 'reference:read'),
  labelled('working_patterns', 'working_patterns:read'),
  labelled('custom_fields', 'custom_fields:read'),
  { table: 'webhooks', id: 'id', name: 'name', scopes: ['webhooks:manage'] },
  { table: 'api_keys', id: 'key_id', name: 'name', scopes: [...ACTORS, 'requests:read'] },
  { table: 'users', id: 'id', name: 'email', scopes: ACTORS },
];

class NamesQuery {
  @TextField({ minimumLength: 1, maximumLength: MAX_IDS * (MAX_LENGTH + 1), example: 'b3w8n0ez5t6y' })
  readonly ids!: string;
}

/** The names of resources by their ids, so that screens show names where the API has ids alone. */
@Controller('console/names')
export class NamesController {
  constructor(@Inject(DATABASE_POOL) private readonly pool: Pool) {}

  @Get()
  @Endpoint({ name: 'findNames', callers: 'sessions', query: NamesQuery })
  async find(@Receive() { key, query }: Call<undefined, NamesQuery>): Promise<object> {
    const ids = query.ids.split(',');
    if (ids.length > MAX_IDS) throw invalidField('ids', `must be at most ${MAX_IDS} ids with commas between them`);
    const readable = NAMED.filter(({ scopes }) => scopes.some((scope) => key.scopes.has(scope)));
    if (readable.length === 0) return { data: [] };
    const { rows } = await this.pool.query<{ id: string; name: string }>(
      readable
        .map(
          ({ table, id, name }) =>
            `select ${id} as id, ${name} as name from ${table} where organisation_id = $1 and ${id} = any($2::text[])`,
        )
        .join(' union all '),
      [key.organisation.id, ids],
    );
    // A person whose creation is not complete has no name yet.
    return { data: rows.filter(({ name }) => name !== null && name !== '') };
  }
}
