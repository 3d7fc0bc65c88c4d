import type { Stream } from '#projections/projection.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import { FORGET_AUTHORISATIONS } from '#http/keys/authorisation-version.js';
import { apiKeyAggregate } from './api-key.decider.js';

const KEYS: RowKeys = {
  primaryKey: ['key_id'],
  others: ['organisation_id'],
  values: (organisationId, entityId) => ({ key_id: entityId, organisation_id: organisationId }),
  streamKey: `organisation_id || '.' || key_id`,
};

/** API keys, revoked and expired ones included. */
export const apiKeyProjection = oneRowProjection(apiKeyAggregate, {
  afterRebuild: FORGET_AUTHORISATIONS,
  table: 'api_keys',
  keys: KEYS,
  isUniqueTwice: true,
  columns: [
    'environment',
    'name',
    'scopes',
    'secret_hash',
    'prefix',
    'last_four',
    'expires_at',
    'revoked_at',
    'made_by_type',
    'made_by_id',
  ],
  row: (state, stream) => {
    const { type, id } = stream[0]!.metadata.actor;
    const maker = { made_by_type: type, made_by_id: id };
    return { ...state.details, ...maker, secret_hash: `\\x${state.details.secret_hash}`, revoked_at: revokedAt(stream) };
  },
});

function revokedAt(stream: Stream): string | null {
  return stream.find((event) => event.type === 'ApiKeyRevoked')?.recordedAt ?? null;
}
