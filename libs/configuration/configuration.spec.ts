import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, readConfiguration } from './configuration.js';
import { configurationReference } from './reference.js';

const issuesOf = (environment: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readConfiguration(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.issues;
    throw error;
  }
};

describe('the configuration', () => {
  it('needs nothing to be set', () => {
    expect(readConfiguration({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      sandboxPort: 3001,
      operationsPort: 3002,
      operationsToken: null,
      databaseUrl: null,
      rateLimitKey: 600,
      rateLimitKeyWrites: 120,
      rateLimitOrganisation: 3000,
      rateLimitWebhookKey: 30,
      rateLimitWebhookOrganisation: 60,
      rateLimitFailedAuth: 30,
    });
  });

  it('takes what is set, and an empty variable for one that is not', () => {
    const environment = { PORT: '0', RATE_LIMIT_KEY: '100000000', DATABASE_URL: 'postgres://u:p@h/d', EVENTSTORE_URL: ' ', LOG_LEVEL: '' };
    expect(readConfiguration(environment)).toMatchObject({
      port: 0,
      rateLimitKey: 100_000_000,
      databaseUrl: 'postgres://u:p@h/d',
      eventStoreUrl: null,
      logLevel: 'info',
    });
  });

  it('reports all mistakes at once, a sentence each', () => {
    expect(issuesOf({ PORT: '70000', RATE_LIMIT_KEY: '0', LOG_LEVEL: 'loud', SHUTDOWN_SECONDS: '1.5' })).toEqual([
      'PORT must be a whole number from 0 to 65535, not "70000".',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud".',
      'RATE_LIMIT_KEY must be a whole number of 1 or more, not "0".',
      'SHUTDOWN_SECONDS must be a whole number from 1 to 600, not "1.5".',
    ]);
  });

  it('refuses one port for two listeners, but not two that are left to the system', () => {
    expect(issuesOf({ PORT: '3002' })).toEqual(['PORT and OPS_PORT must be different ports.']);
    expect(issuesOf({ PORT: '0', SANDBOX_PORT: '0' })).toEqual([]);
  });

  it('takes several EventStoreDB nodes', () => {
    expect(issuesOf({ EVENTSTORE_URL: 'esdb://a:2113,b:2113,c:2113?tls=false' })).toEqual([]);
    expect(issuesOf({ EVENTSTORE_URL: 'esdb+discover://cluster:2113' })).toEqual([]);
  });

  it('never repeats what may hold a secret', () => {
    const issues = issuesOf({ DATABASE_URL: 'mysql://secret', EVENTSTORE_URL: 'secret', OPS_TOKEN: 'secret' });
    expect(issues).toHaveLength(3);
    expect(issues.join()).not.toContain('secret');
  });

  it('is documented as it is; if not: npm run build && node scripts/write-configuration-reference.mjs', () => {
    expect(readFileSync(join(__dirname, '../../docs/reference/configuration.md'), 'utf8')).toBe(configurationReference());
  });
});
