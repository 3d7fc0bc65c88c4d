import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configurationIssues } from '../../test/support/configuration-issues.js';
import { readConfiguration, VARIABLES } from './configuration.js';
import { configurationReference } from './reference.js';

describe('the configuration', () => {
  it('has a default for every variable', () => {
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
      rateLimitImports: 20,
      rateLimitPublic: 6000,
      rateLimitFailedAuth: 30,
      publicUrl: null,
      sandboxPublicUrl: null,
      avatarUrlTtlSeconds: 300,
      redisUrl: null,
      webhookAllowedCidrs: [],
      trustedProxies: [],
      corsOrigins: [],
      requestLog: 'on',
    });
  });

  it('uses the given values, and treats an empty variable as unset', () => {
    const environment = {
      PORT: '0',
      RATE_LIMIT_KEY: '100000000',
      DATABASE_URL: 'postgres://u:p@h/d',
      EVENTSTORE_URL: ' ',
      LOG_LEVEL: '',
    };
    expect(readConfiguration(environment)).toMatchObject({
      port: 0,
      rateLimitKey: 100_000_000,
      databaseUrl: 'postgres://u:p@h/d',
      eventStoreUrl: null,
      logLevel: 'info',
    });
  });

  it('reports all errors at once, one sentence each', () => {
    expect(
      configurationIssues({ PORT: '70000', RATE_LIMIT_KEY: '0', LOG_LEVEL: 'loud', SHUTDOWN_SECONDS: '1.5' }),
    ).toEqual([
      'PORT must be a whole number from 0 to 65535, not "70000".',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud".',
      'RATE_LIMIT_KEY must be a whole number of 1 or more, not "0".',
      'SHUTDOWN_SECONDS must be a whole number from 1 to 600, not "1.5".',
    ]);
  });

  it('refuses one port for two listeners, unless the system chooses both', () => {
    expect(configurationIssues({ PORT: '3002' })).toEqual(['PORT and OPS_PORT must be different ports.']);
    expect(configurationIssues({ PORT: '0', SANDBOX_PORT: '0' })).toEqual([]);
  });

  it('accepts an address of the API with or without a path, and refuses one to which no path can be appended', () => {
    for (const url of ['https://hr.example.com', 'http://10.0.0.1:3000/', 'https://example.com/hr'])
      expect(configurationIssues({ PUBLIC_URL: url, SANDBOX_PUBLIC_URL: url })).toEqual([]);
    for (const url of [
      'hr.example.com',
      'ftp://example.com',
      'https://user:secret@example.com',
      'https://example.com/?a',
      'https://example.com/#a',
    ]) {
      expect(configurationIssues({ PUBLIC_URL: url })).toEqual([
        'PUBLIC_URL must be a URL that starts with https:// or http://, without user, query and fragment.',
      ]);
    }
  });

  it('accepts origins as browsers write them, and explains the form of others', () => {
    const origins = [
      'https://hr.example.com',
      'http://localhost:5173',
      'https://[fd00::1]:8443',
      'https://xn--bcher-kva.example',
    ];
    expect(readConfiguration({ CORS_ORIGINS: origins.join(' , ') }).corsOrigins).toEqual(origins);
    for (const [wrong, issue] of [
      ['*', 'must list each origin: * would allow every page of the web.'],
      ['null', 'must not contain null: every page in a sandboxed frame and every local file has that origin.'],
      ['https://hr.example.com/', 'has "https://hr.example.com/", whose origin is written https://hr.example.com.'],
      ['https://HR.example.com', 'has "https://HR.example.com", whose origin is written https://hr.example.com.'],
      [
        'https://hr.example.com:443',
        'has "https://hr.example.com:443", whose origin is written https://hr.example.com.',
      ],
      [
        'https://bücher.example',
        'has "https://bücher.example", whose origin is written https://xn--bcher-kva.example.',
      ],
      ...[
        'hr.example.com',
        'ftp://hr.example.com',
        'https://*.example.com',
        'https://user@hr.example.com',
        'file:///tmp',
      ].map((other) => [other, `must hold origins such as https://hr.example.com, not "${other}".`] as const),
    ] as const) {
      expect(configurationIssues({ CORS_ORIGINS: `https://a.example,${wrong}` })).toEqual([`CORS_ORIGINS ${issue}`]);
    }
  });

  it('accepts a Redis with or without TLS', () => {
    for (const url of ['redis://127.0.0.1:6379', 'rediss://user:password@redis.example:6380/1'])
      expect(readConfiguration({ REDIS_URL: url }).redisUrl).toBe(url);
    expect(configurationIssues({ REDIS_URL: 'http://127.0.0.1' })).toEqual([
      'REDIS_URL must be a URL that starts with redis://.',
    ]);
  });

  it('accepts address ranges for webhooks, and explains the error in an invalid one', () => {
    expect(
      readConfiguration({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8, fd00::/8,10.1.2.3/32,' }).webhookAllowedCidrs,
    ).toEqual(['127.0.0.0/8', 'fd00::/8', '10.1.2.3/32']);
    for (const wrong of [
      ...['127.0.0.1', '10.1/16', '0x7f.0.0.0/8', '127.0.0.0/33', '::/129', 'fe80::%eth0/64', 'localhost/8'],
      ...['127.0.0.0/8;fd00::/8'],
    ]) {
      const issue = `WEBHOOK_ALLOWED_CIDRS must hold address ranges such as 127.0.0.0/8 or fd00::/8, not "${wrong}".`;
      expect(configurationIssues({ WEBHOOK_ALLOWED_CIDRS: `fd00::/8,${wrong}` })).toEqual([issue]);
    }
    expect(configurationIssues({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/8' })).toEqual([
      'WEBHOOK_ALLOWED_CIDRS has "127.0.0.1/8", whose range is 127.0.0.0/8.',
    ]);
    expect(configurationIssues({ WEBHOOK_ALLOWED_CIDRS: 'fd00::1/8' })).toEqual([
      'WEBHOOK_ALLOWED_CIDRS has "fd00::1/8", whose range is fd00::/8.',
    ]);
  });

  it('accepts them in production only with a confirmation', () => {
    const production = { NODE_ENV: 'production', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
    expect(configurationIssues(production)).toEqual([
      'WEBHOOK_ALLOWED_CIDRS is refused with NODE_ENV=production unless WEBHOOK_ALLOWED_CIDRS_IN_PRODUCTION is yes.',
    ]);
    expect(configurationIssues({ ...production, WEBHOOK_ALLOWED_CIDRS_IN_PRODUCTION: 'true' })).toHaveLength(2);
    expect(configurationIssues({ ...production, WEBHOOK_ALLOWED_CIDRS_IN_PRODUCTION: 'yes' })).toEqual([]);
    expect(configurationIssues({ NODE_ENV: 'production' })).toEqual([]);
    expect(configurationIssues({ NODE_ENV: 'development', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' })).toEqual([]);
  });

  it('never repeats a value that may contain a secret', () => {
    const issues = configurationIssues({
      DATABASE_URL: 'mysql://secret',
      EVENTSTORE_URL: 'secret',
      OPS_TOKEN: 'secret',
      REDIS_URL: 'secret',
    });
    expect(issues).toHaveLength(4);
    expect(issues.join()).not.toContain('secret');
  });

  it('accepts a host by address or by name', () => {
    for (const host of ['0.0.0.0', '::', '::1', 'localhost', 'api-1.internal.example'])
      expect(configurationIssues({ HOST: host })).toEqual([]);
    for (const host of ['127.0.0.1:80', '300.1.1.1', '127.1', 'a b', 'http://localhost', '-a']) {
      expect(configurationIssues({ HOST: host })).toEqual([
        `HOST must be an address such as 127.0.0.1, ::1 or 0.0.0.0, or a host name, not "${host}".`,
      ]);
    }
  });

  it('accepts addresses of servers as their clients do', () => {
    for (const url of [
      'postgresql://u:p%40ss%23@h:5432/d?sslmode=verify-full',
      'postgres:///d?host=/run/postgresql',
      'postgres://h/d?application_name=a',
    ]) {
      expect(configurationIssues({ DATABASE_URL: url })).toEqual([]);
    }
    expect(configurationIssues({ EVENTSTORE_URL: 'esdb://admin:p%40ss@a:2113,b?tls=true' })).toEqual([]);
  });

  it.each([
    ['DATABASE_URL', 'postgres://user:marker@host:99999/database', 'cannot be parsed as a URL'],
    ['DATABASE_URL', 'postgres://user:marker/more@host/database', 'cannot be parsed as a URL'],
    ['DATABASE_URL', 'postgres://user:1#marker@host/database', 'contains a space or a #'],
    ['DATABASE_URL', 'postgres://user:mark er@host/database', 'contains a space or a #'],
    ['DATABASE_URL', 'postgres://user:marker%@host/database', 'has a % without'],
    ['DATABASE_URL', 'postgres://user:marker%e4@host/database', 'has a % without'],
    ['DATABASE_URL', 'postgres://user:marker@host/database/more', 'must name one database'],
    ['DATABASE_URL', 'postgres://user:marker@host/database?sslmode=marker', 'must have an sslmode of disable, prefer'],
    ['REDIS_URL', 'redis://:marker@/0', 'cannot be parsed as a URL'],
    ['REDIS_URL', 'redis://:marker@host/name', 'must end with the number of a database'],
    ['REDIS_URL', 'redis://:marker%zz@host', 'has a % without'],
    ['OPS_TOKEN', 'marker with some blanks', 'must have letters, digits and signs'],
  ])('explains the error in %s without repeating it: %s', (name, value, sentence) => {
    const [issue, ...others] = configurationIssues({ [name]: value });
    expect(others).toEqual([]);
    expect(issue).toMatch(/^[A-Z_]+ .*[^.]\.$/);
    expect(issue!.slice(0, name.length + sentence.length + 1)).toBe(`${name} ${sentence}`);
    expect(issue).not.toContain('marker');
  });

  it('matches its documentation; if not: npm run build && node scripts/write-reference-pages.mjs', () => {
    expect(readFileSync(join(__dirname, '../../docs/reference/generated/configuration.md'), 'utf8')).toBe(
      configurationReference(),
    );
  });
});

describe('a secret from a file', () => {
  let directory: string;
  const file = (content: string | Buffer): string => {
    const path = join(directory, 'secret');
    writeFileSync(path, content);
    return path;
  };

  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'workforce-secrets-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each(
    Object.values(VARIABLES)
      .filter(({ isSecret }) => isSecret)
      .map(({ name }) => name),
  )('may be that of %s', (name) => {
    const issues = configurationIssues({ [`${name}_FILE`]: join(directory, 'missing') });
    expect(issues).toEqual([`${name}_FILE names ${directory}/missing, which does not exist.`]);
  });

  it('is its content without one line end', () => {
    for (const end of ['', '\n', '\r\n'])
      expect(readConfiguration({ OPS_TOKEN_FILE: file(`a-token-of-sixteen${end}`) }).operationsToken).toBe(
        'a-token-of-sixteen',
      );
  });

  it('does not apply to a variable that is not secret', () => {
    expect(configurationIssues({ HOST_FILE: join(directory, 'missing') })).toEqual([]);
  });

  it('is refused together with the value itself, unless that is empty', () => {
    const path = file('a-token-of-sixteen');
    expect(configurationIssues({ OPS_TOKEN: 'another-token-of-sixteen', OPS_TOKEN_FILE: path })).toEqual([
      'OPS_TOKEN and OPS_TOKEN_FILE are both set: unset one of them.',
    ]);
    expect(readConfiguration({ OPS_TOKEN: '', OPS_TOKEN_FILE: path }).operationsToken).toBe('a-token-of-sixteen');
    expect(readConfiguration({ OPS_TOKEN: 'another-token-of-sixteen', OPS_TOKEN_FILE: ' ' }).operationsToken).toBe(
      'another-token-of-sixteen',
    );
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['a-token-of-sixteen\n\n', 'has more than one line'],
    ['first-token-of-it\nsecond-token-of-it\n', 'has more than one line'],
    [' a-token-of-sixteen', 'has spaces before or after the value'],
    [Buffer.from([0xff, 0xfe, ...Buffer.from('a-token-of-sixteen')]), 'is not UTF-8 text'],
    ['x'.repeat(65_537), 'is longer than 65536 bytes'],
  ])('must be one line of text: %j', (content, issue) => {
    const path = file(content);
    expect(configurationIssues({ OPS_TOKEN_FILE: path })).toEqual([`OPS_TOKEN_FILE names ${path}, which ${issue}.`]);
  });

  it('names the file with a wrong value without repeating the value, and reports all errors at once', () => {
    const path = file('mysql://marker');
    expect(configurationIssues({ DATABASE_URL_FILE: path, OPS_TOKEN_FILE: directory, REDIS_URL: 'marker' })).toEqual([
      `OPS_TOKEN_FILE names ${directory}, which is a directory.`,
      `DATABASE_URL, read from ${path}, must be a URL that starts with postgres://.`,
      'REDIS_URL must be a URL that starts with redis://.',
    ]);
  });
});
