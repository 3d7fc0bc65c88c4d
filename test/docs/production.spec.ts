import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { commandLine } from '#cli/command-line.js';
import { VARIABLES } from '#configuration/configuration.js';

const ROOT = resolve(__dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

type Mount = string | { readonly source: string; readonly target?: string };
interface Service {
  readonly image: string;
  readonly user: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly Mount[];
  readonly configs?: readonly Mount[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly restart: string;
  readonly stop_grace_period: string;
  readonly pids_limit: number;
  readonly deploy: { readonly resources: { readonly limits: { readonly cpus: string; readonly memory: string } } };
  readonly [key: string]: unknown;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true, strict: true, uniqueKeys: true }) as Compose;
const services = Object.entries(compose.services).map(([name, service]) => ({ name, service }));
const programs = services.filter(({ service }) => service.image.startsWith('workforce-hr:'));
const sourceOf = (mount: Mount): string => (typeof mount === 'string' ? mount : mount.source);

describe('docker-compose.yml', () => {
  it('has two APIs, two workers, one migration, a proxy and the three stores', async () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'api-1',
      'api-2',
      'eventstore',
      'migrate',
      'postgres',
      'proxy',
      'redis',
      'worker-1',
      'worker-2',
    ]);
    expect(programs.map(({ name, service }) => [name, service.command]).sort()).toEqual([
      ['api-1', ['api']],
      ['api-2', ['api']],
      ['migrate', ['migrate']],
      ['worker-1', ['worker']],
      ['worker-2', ['worker']],
    ]);
    const commands = (await commandLine()).commands.map((command) => command.name());
    for (const { service } of programs) expect(commands).toContain(service.command![0]);
  });

  it.each(services)('$name has limits, a health check, and no more rights than it needs', ({ name, service }) => {
    expect(service.deploy.resources.limits).toEqual({
      cpus: expect.stringMatching(/^\d+\.\d$/),
      memory: expect.stringMatching(/^\d+[MG]$/),
    });
    expect(service.pids_limit).toBeGreaterThan(0);
    expect(name === 'migrate' ? service.healthcheck.disable : service.healthcheck.test!.length > 1).toBe(true);
    expect(service.restart).toBe(name === 'migrate' ? 'no' : 'unless-stopped');
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(service).not.toHaveProperty('privileged');
    expect(service.stop_grace_period).toMatch(/^\d+s$/);
    // An exact version, never "latest" or a major one.
    expect(service.image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  it('publishes the proxy and nothing else, and the stores are on no network with a way out', () => {
    expect(services.filter(({ service }) => service.ports !== undefined).map(({ name }) => name)).toEqual(['proxy']);
    expect(
      Object.entries(compose.networks)
        .filter(([, network]) => network.internal === true)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['application', 'data']);
    for (const name of ['postgres', 'eventstore', 'redis']) expect(compose.services[name]!.networks).toEqual(['data']);
    expect(compose.services['proxy']!.networks).toEqual(['edge', 'application']);
    // Webhooks are sent by workers, and an API looks a receiver's name up before it takes it.
    for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2'])
      expect(compose.services[name]!.networks).toContain('outbound');
  });

  it.each(programs)(
    '$name is configured by settings that the program has, secrets by files that are mounted',
    ({ service }) => {
      const known = new Set<string>(Object.values(VARIABLES).map(({ name }) => name));
      for (const [name, value] of Object.entries(service.environment!)) {
        expect([name, known.has(name.replace(/_FILE$/, ''))]).toEqual([name, true]);
        if (!name.endsWith('_FILE')) continue;
        expect((service.secrets ?? []).map((mount) => `/run/secrets/${sourceOf(mount)}`)).toContain(value);
      }
      expect(service.environment).toMatchObject({
        NODE_ENV: 'production',
        DATABASE_URL_FILE: expect.anything(),
        EVENTSTORE_URL_FILE: expect.anything(),
        REDIS_URL_FILE: expect.anything(),
        OPS_TOKEN_FILE: expect.anything(),
      });
      const { SHUTDOWN_SECONDS, DRAIN_SECONDS } = service.environment!;
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(
        Number(SHUTDOWN_SECONDS) + Number(DRAIN_SECONDS),
      );
    },
  );

  it('gives EventStoreDB none of the program’s settings: it ends at a variable EVENTSTORE_… that it does not know', () => {
    const { environment, secrets, ...store } = compose.services['eventstore']!;
    const ours = Object.values(VARIABLES).flatMap(({ name }) => [name, `${name}_FILE`]);
    expect(Object.keys(environment!).filter((name) => ours.includes(name))).toEqual([]);
    expect((secrets ?? []).map(sourceOf)).not.toContain('eventstore_url');
    // Nor through a file of variables, of this service or of what it takes over.
    expect(store).not.toHaveProperty('env_file');
    expect(store.command!.join(' ')).not.toMatch(/EVENTSTORE_URL/);
    expect(text).not.toContain('env_file');
  });

  it('has no password: what is secret comes from files, and what has no good default is asked for', () => {
    for (const { service } of services) {
      for (const [name, value] of Object.entries(service.environment ?? {})) {
        if (/PASSWORD|TOKEN|SECRET|_KEY|DATABASE_URL|EVENTSTORE_URL|REDIS_URL/.test(name))
          expect([name, value]).toEqual([name, expect.stringMatching(/^\/run\/secrets\//)]);
      }
    }
    expect(text).not.toMatch(/:\/\/[^\s/]*:[^\s/]*@/);
    expect(text).not.toMatch(/changeit/);
    expect([...text.matchAll(/\$\{(\w+):?([-?])/g)].map(([, name, kind]) => [name, kind])).toEqual([
      ['PUBLIC_URL', '?'],
      ['CORS_ORIGINS', '-'],
      ['SANDBOX_PUBLIC_URL', '?'],
      ['PROXY_API_PORT', '-'],
      ['PROXY_SANDBOX_PORT', '-'],
    ]);
  });

  it('names only secrets that scripts/make-production-secrets.mjs makes', () => {
    const script = read('scripts/make-production-secrets.mjs');
    for (const { file } of Object.values(compose.secrets)) {
      expect(file).toMatch(/^secrets\//);
      expect([file, script.includes(`'${file.slice('secrets/'.length)}'`)]).toEqual([file, true]);
    }
    expect(read('.gitignore').split('\n')).toContain('secrets/');
  });

  it('gives Redis a file to keep what waits and forbids it to drop any, and is of this version of the program', () => {
    expect(read('deploy/redis.conf')).toMatch(/^appendonly yes$/m);
    expect(read('deploy/redis.conf')).toMatch(/^maxmemory-policy noeviction$/m);
    for (const { service } of programs) expect(service.image).toBe(`workforce-hr:${version}`);
  });
});

describe('the proxy', () => {
  const proxy = read('deploy/haproxy.cfg');

  it('says who calls in its own words, and puts its security headers on its own errors too', () => {
    const frontends = proxy.split(/^(?=frontend )/m).slice(1);
    expect(frontends).toHaveLength(2);
    for (const frontend of frontends) {
      expect(frontend).toContain('http-request set-header X-Forwarded-For %[src]');
      expect(frontend).toContain(
        'http-after-response set-header Strict-Transport-Security "max-age=31536000; includeSubDomains"',
      );
      expect(frontend).toContain('http-after-response set-header X-Content-Type-Options nosniff');
      for (const header of ['Referrer-Policy', 'Content-Security-Policy'])
        expect(frontend).toContain(`http-after-response set-header ${header} `);
    }
    expect(compose.services['api-1']!.environment!['TRUSTED_PROXIES']).toContain('172.16.0.0/12');
  });

  it('keeps addresses, paths and queries out of its log', () => {
    expect(/^ +log-format '(.*)'$/m.exec(proxy)![1]).not.toMatch(
      /%(?:(?:ci|si|r|HU|HP|HQ)\b|\[(?:path|url|query|src))/,
    );
    expect(proxy).not.toMatch(/option httplog/);
  });
});

describe('the Dockerfile', () => {
  const content = read('Dockerfile');
  const stages = [...content.matchAll(/^FROM (\S+) AS (\w+)$/gm)].map(([, image, name]) => ({ image, name }));
  const lastStage = content.slice(content.lastIndexOf('\nFROM '));

  it('has no fault that its checker knows', () => {
    expect(
      validate(content, { instructionWorkdirRelative: 1, instructionCasing: 1, deprecatedMaintainer: 1 }).map(
        ({ message }) => message,
      ),
    ).toEqual([]);
  });

  it('runs the program itself, not a shell, as a user that is not root', () => {
    expect(lastStage).toMatch(/^USER 1000:1000$/m);
    expect(lastStage).toMatch(/^ENTRYPOINT \["node", "dist\/apps\/cli\/main\.js"\]$/m);
    expect(lastStage).toMatch(/^HEALTHCHECK /m);
  });

  it('uses an exact version of Node.js that the program supports, and exposes its ports', () => {
    const image = /^ARG NODE_IMAGE=node:(\d+)\.(\d+)\.\d+-[a-z-]+$/m.exec(content)!;
    expect(Number(image[1])).toBeGreaterThanOrEqual(22);
    for (const { image: stands } of stages) expect(stands).toBe('${NODE_IMAGE}');
    const { PORT, SANDBOX_PORT, OPS_PORT } = compose.services['api-1']!.environment!;
    expect(lastStage).toMatch(new RegExp(`^EXPOSE ${PORT} ${SANDBOX_PORT} ${OPS_PORT}$`, 'm'));
  });

  it('copies only what .dockerignore lets in, and that has no tests', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...content.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '));
    for (const source of copied) {
      expect([source, allowed.some((entry) => source === entry || source.startsWith(`${entry}/`))]).toEqual([
        source,
        true,
      ]);
      expect([source, existsSync(join(ROOT, source))]).toEqual([source, true]);
    }
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['*', '**/*.spec.ts']));
  });
});
