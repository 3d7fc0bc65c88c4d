import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { JsonObject } from '#kernel/json.js';
import { CONTRACT_SCOPES, isExtensionScope, SCOPES, type Scope } from '#kernel/scopes.js';
import { CreateApiKey, RevokeApiKey } from '#access/api-key/api-key.api.js';
import { type ApiKeyRow, findApiKey, listApiKeys } from '#access/api-key/api-key.js';
import { expiryOf } from '#access/api-key/api-key.rules.js';
import { findOrganisation, type OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Call, Outcome } from '../declaration.js';
import { NO_ORGANISATION } from '../command-context.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { closestMatch } from '../closest-match.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';
import { ensureSandbox } from './sandbox.js';

/** `workforce keys create`. */
export function createKey({ options, json }: Call): Promise<Outcome> {
  const scopes = scopesOf(options['scopes'] as string);
  const environment = options['environment'] as KeyEnvironment;
  return withInstallation(async (installation) => {
    const owner = await requireOrganisation(installation.pool, options['organisation'] as string);
    const expiresAt = expiryFor(options['expires'] as string | undefined, owner);
    if (environment === 'sandbox') await ensureSandbox(installation, owner, json);
    const requested = { name: options['name'] as string, environment, scopes, expiresAt };
    const { row, apiKey } = await sendAsOperator(
      installation,
      owner,
      (context) => new CreateApiKey(context, requested),
    );
    // A random context never repeats a request, so the response always has the key.
    return { json: createdJson(row, apiKey!), text: createdText(row, owner, apiKey!) };
  });
}

/** `workforce keys list`. */
export function listKeys({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const named = options['organisation'] as string | undefined;
    const organisation = named === undefined ? null : await requireOrganisation(pool, named);
    const keys = await listApiKeys(pool, organisation?.id ?? null);
    const now = new Date();
    const rows = keys.map((key) => [
      key.key_id,
      key.organisation_id,
      key.environment,
      key.name,
      `…${key.last_four}`,
      stateOf(key, now),
      makerOf(key),
      scopeText(key),
    ]);
    const text = textTable(['ID', 'ORGANISATION', 'ENVIRONMENT', 'NAME', 'KEY', 'STATE', 'MADE BY', 'SCOPES'], rows);
    return { json: { keys: keys.map(keyJson) }, text };
  });
}

/** `workforce keys revoke`. */
export function revokeKey(call: Call): Promise<Outcome> {
  const keyId = call.arguments[0]!;
  return withInstallation(async (installation) => {
    const key = await findApiKey(installation.pool, keyId);
    if (key === null) throw new NotFoundError(`There is no key ${keyId}: workforce keys list shows all.`);
    const owner = (await findOrganisation(installation.pool, key.organisation_id)) ?? {
      ...NO_ORGANISATION,
      id: key.organisation_id,
    };
    const withMade = call.options['keepKeys'] !== true;
    const { row, withIt } = await sendAsOperator(
      installation,
      owner,
      (context) => new RevokeApiKey(context, keyId, withMade),
    );
    const sentences = [row, ...withIt].map((one) => `Revoked ${one.key_id} (${one.name}, …${one.last_four}).`);
    return {
      json: { ...keyJson(row), revoked_keys: withIt.map(({ key_id: id, name }) => ({ id, name })) },
      text: sentences.join('\n'),
    };
  });
}

/**
 * The scopes of a comma-separated list; `all` in it means those of the contract. Throws {@link CommandError}.
 */
export function scopesOf(list: string): readonly Scope[] {
  const texts = list.split(',').map((scope) => scope.trim());
  const named = [
    ...new Set(texts.filter((scope) => scope !== '').flatMap((scope) => (scope === 'all' ? CONTRACT_SCOPES : [scope]))),
  ];
  const unknown = named.find((scope) => !SCOPES.includes(scope as Scope));
  if (unknown === undefined) return named as Scope[];
  const alike = closestMatch(unknown, SCOPES);
  throw new UsageError(
    `There is no scope ${unknown}${alike === null ? `; there are ${SCOPES.join(', ')}` : `: did you mean ${alike}?`}`,
  );
}

function expiryFor(text: string | undefined, owner: OrganisationRow): Date | null {
  if (text === undefined) return null;
  const expiry = expiryOf(text, owner.time_zone);
  if (expiry === null)
    throw new UsageError('--expires must be a date as YYYY-MM-DD, or a date-time such as 2030-01-31T17:00:00Z.');
  return expiry;
}

function stateOf(key: ApiKeyRow, now: Date): string {
  if (key.revoked_at !== null) return `revoked ${key.revoked_at.toISOString()}`;
  if (key.expires_at === null) return 'valid';
  return `${key.expires_at <= now ? 'expired' : 'valid until'} ${key.expires_at.toISOString()}`;
}

function makerOf({ made_by_type: type, made_by_id: id, made_by_name: name }: ApiKeyRow): string {
  return type === null ? '' : `${type.replace('_', ' ')} ${name ?? id}`;
}

function scopeText(key: ApiKeyRow): string {
  const hasAll = CONTRACT_SCOPES.every((scope) => key.scopes.includes(scope));
  return hasAll ? ['all', ...key.scopes.filter(isExtensionScope)].join(',') : key.scopes.join(',');
}

function createdText(key: ApiKeyRow, owner: OrganisationRow, apiKey: string): string {
  const expiry = key.expires_at === null ? 'never expires' : `expires ${key.expires_at.toISOString()}`;
  const about = `${key.key_id} of ${owner.name}: ${key.environment}, ${expiry}, scopes: ${scopeText(key)}.`;
  return `${apiKey}\n\nThis is the only time that the key is shown. ${about}`;
}

function createdJson(key: ApiKeyRow, apiKey: string): JsonObject {
  return {
    key_id: key.key_id,
    api_key: apiKey,
    organisation_id: key.organisation_id,
    environment: key.environment,
    scopes: key.scopes,
    expires_at: key.expires_at?.toISOString() ?? null,
  };
}

function keyJson(key: ApiKeyRow): JsonObject {
  return {
    key_id: key.key_id,
    organisation_id: key.organisation_id,
    environment: key.environment,
    name: key.name,
    scopes: key.scopes,
    last_four: key.last_four,
    expires_at: key.expires_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
    created_at: key.created_at.toISOString(),
    made_by: key.made_by_type === null ? null : { type: key.made_by_type, id: key.made_by_id, name: key.made_by_name },
  };
}
