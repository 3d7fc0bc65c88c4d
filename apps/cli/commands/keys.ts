import { CreateApiKey, RevokeApiKey } from '#access/api-key/api-key.api.js';
import { type ApiKeyRow, findApiKey, listApiKeys } from '#access/api-key/api-key.js';
import { expiryOf } from '#access/api-key/api-key.rules.js';
import { CONTRACT_SCOPES, EXTENSION_SCOPES, isExtensionScope, SCOPES, type Scope } from '#kernel/scopes.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import { requireKnownList } from '../closest-match.js';
import { command } from '../command.js';
import { NO_ORGANISATION } from '../command-context.js';
import { UsageError } from '../command-error.js';
import type { Scope as CommandScope } from '../declaration.js';
import { requireFound } from '../find-named.js';
import {
  ANY_ORGANISATION,
  argument,
  choice,
  flag,
  lookedUp,
  ORGANISATION,
  required,
  text,
  withDefault,
} from '../options.js';
import { ensureSandbox } from '../sample-data/refresh-sandbox.js';
import { listOf } from '../text-table.js';

const SCOPES_HELP = `comma-separated; all: the ${CONTRACT_SCOPES.length} of the API's contract; extension scopes, which all does not contain, by name: ${EXTENSION_SCOPES.join(', ')}`;

/** `workforce keys …`: the API keys of organisations. */
export const commands = {
  create: command({
    description: 'create an API key, which is shown only once',
    options: {
      organisation: ORGANISATION,
      name: required(text('<name>', 'what it is for')),
      scopes: required(text('<scopes>', SCOPES_HELP, scopesOf)),
      environment: withDefault(
        choice(
          '<environment>',
          "live: the organisation's own data; sandbox: synthetic people; the first such key creates the sandbox",
          ['live', 'sandbox'],
        ),
        'live',
      ),
      expires: lookedUp(
        '<when>',
        "a date (valid to its last second in the organisation's time zone) or a date-time (default: never)",
        expiryIn,
      ),
    },
    run: async (
      { organisation, name, scopes, environment, expires: expiresAt = null },
      { installation, send, json },
    ) => {
      if (environment === 'sandbox') await ensureSandbox(installation, organisation, json);
      const requested = { name, environment, scopes, expiresAt };
      const { row, apiKey } = await send((context) => new CreateApiKey(context, requested));
      const ends = row.expires_at === null ? 'never expires' : `expires ${row.expires_at.toISOString()}`;
      const about = `${row.key_id} of ${organisation.name}: ${environment}, ${ends}, scopes: ${scopeText(row)}.`;
      const { key_id, organisation_id, scopes: granted, expires_at } = row;
      return {
        // A random context never repeats a request, so the response always has the key.
        json: { key_id, api_key: apiKey!, organisation_id, environment: row.environment, scopes: granted, expires_at },
        text: `${apiKey!}\n\nThis is the only time that the key is shown. ${about}`,
      };
    },
  }),
  list: command({
    description: 'list API keys',
    options: { organisation: ANY_ORGANISATION },
    run: async ({ organisation }, { pool }) => {
      const keys = await listApiKeys(pool, organisation?.id ?? null);
      const now = new Date();
      const columns = {
        ID: 'key_id',
        ORGANISATION: 'organisation_id',
        ENVIRONMENT: 'environment',
        NAME: 'name',
        KEY: (key: ApiKeyRow) => `…${key.last_four}`,
        STATE: (key: ApiKeyRow) => stateOf(key, now),
        'MADE BY': makerOf,
        SCOPES: scopeText,
      } as const;
      return listOf('keys', keys, columns, keyJson);
    },
  }),
  revoke: command({
    description: 'revoke an API key permanently, with the keys that it made',
    arguments: { key_id: argument('id of the key, from keys list') },
    options: { keep_keys: flag('leave the keys that it made') },
    run: async ({ key_id: id, keep_keys: keepsKeys }, { pool, send }) => {
      const { organisation_id: ownerId } = requireFound(await findApiKey(pool, id), 'key', id, 'keys list');
      const owner = (await findOrganisation(pool, ownerId)) ?? { ...NO_ORGANISATION, id: ownerId };
      const { row, withIt } = await send((context) => new RevokeApiKey(context, id, !keepsKeys), owner);
      const sentences = [row, ...withIt].map((one) => `Revoked ${one.key_id} (${one.name}, …${one.last_four}).`);
      return {
        json: { ...keyJson(row), revoked_keys: withIt.map((one) => ({ id: one.key_id, name: one.name })) },
        text: sentences.join('\n'),
      };
    },
  }),
};

function scopesOf(list: string): readonly Scope[] {
  return requireKnownList('scope', list, SCOPES, CONTRACT_SCOPES);
}

/** When a key expires, in the time zone of its organisation. */
function expiryIn({ organisation }: CommandScope, given: string): Date {
  const at = expiryOf(given, organisation!.time_zone);
  if (at !== null) return at;
  throw new UsageError('--expires must be a date as YYYY-MM-DD, or a date-time such as 2030-01-31T17:00:00Z.');
}

function stateOf(key: ApiKeyRow, now: Date): string {
  if (key.revoked_at !== null) return `revoked ${key.revoked_at.toISOString()}`;
  if (key.expires_at === null) return 'valid';
  return `${key.expires_at <= now ? 'expired' : 'valid until'} ${key.expires_at.toISOString()}`;
}

function makerOf({ made_by_type: type, made_by_id: id, made_by_name: name }: ApiKeyRow): string {
  return type === null ? '' : `${type.replace('_', ' ')} ${name ?? id}`;
}

function scopeText({ scopes }: ApiKeyRow): string {
  const hasAll = CONTRACT_SCOPES.every((scope) => scopes.includes(scope));
  return hasAll ? ['all', ...scopes.filter(isExtensionScope)].join(',') : scopes.join(',');
}

function keyJson(key: ApiKeyRow): object {
  const { key_id, organisation_id, environment, name, scopes, last_four, expires_at, revoked_at, created_at } = key;
  const { made_by_type: type, made_by_id: id, made_by_name } = key;
  return {
    ...{ key_id, organisation_id, environment, name, scopes, last_four, expires_at, revoked_at, created_at },
    made_by: type === null ? null : { type, id, name: made_by_name },
  };
}
