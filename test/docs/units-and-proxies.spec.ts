import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandLine } from '#cli/command-line.js';
import { VARIABLES } from '#configuration/configuration.js';
import { MAX_IMPORT_BODY_BYTES } from '#imports/import-shapes.js';

const DEPLOY = resolve(__dirname, '..', '..', 'deploy');
const UNITS = readdirSync(join(DEPLOY, 'systemd')).map((name) => ({
  name,
  lines: readFileSync(join(DEPLOY, 'systemd', name), 'utf8').split('\n'),
}));
const valuesOf = (lines: readonly string[], key: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
const SERVICES = UNITS.filter(({ name }) => name.endsWith('.service'));
const read = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8');

describe.each(SERVICES)('the unit $name', ({ lines }) => {
  it('runs a command of the program, or the script of backups', async () => {
    const commands = (await commandLine()).commands.map((command) => command.name());
    const [start] = valuesOf(lines, 'ExecStart');
    const [, command] = /^\/usr\/bin\/node \/opt\/workforce-hr\/dist\/apps\/cli\/main\.js (\w+)$/.exec(start!) ?? [];
    if (command === undefined) expect(start).toBe('/bin/sh /opt/workforce-hr/deploy/back-up.sh ${STATE_DIRECTORY} 14');
    else expect(commands).toContain(command);
  });

  it('sets variables that the program has, and secrets by credentials that it loads', () => {
    const known: readonly string[] = [...Object.values(VARIABLES).map(({ name }) => name), 'PATH'];
    const set = valuesOf(lines, 'Environment').flatMap((line) => line.split(' '));
    const credentials = valuesOf(lines, 'LoadCredential').map((credential) => credential.split(':')[0]);
    for (const [name, value] of set.map((assignment) => assignment.split('=') as [string, string])) {
      expect(known).toContain(name.replace(/_FILE$/, ''));
      if (!name.endsWith('_FILE')) continue;
      expect(value).toBe(`%d/${name.replace(/_FILE$/, '').toLowerCase()}`);
      expect(credentials).toContain(value.slice('%d/'.length));
    }
    expect(credentials).toHaveLength(set.filter((assignment) => /_FILE=/.test(assignment)).length);
    const seconds = (name: string): number =>
      Number(set.find((assignment) => assignment.startsWith(`${name}=`))?.split('=')[1] ?? 0);
    for (const limit of valuesOf(lines, 'TimeoutStopSec'))
      expect(Number(limit)).toBeGreaterThan(seconds('DRAIN_SECONDS') + seconds('SHUTDOWN_SECONDS'));
  });

  it('has no more rights than it needs', () => {
    expect(lines).toEqual(
      expect.arrayContaining([
        'DynamicUser=yes',
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'CapabilityBoundingSet=',
      ]),
    );
  });
});

it('a unit refers to units that exist, and the worker has a port of operations of its own', () => {
  const names = UNITS.map(({ name }) => name);
  const referred = UNITS.flatMap(({ lines }) =>
    ['Requires', 'After'].flatMap((key) => valuesOf(lines, key).flatMap((value) => value.split(' '))),
  ).filter((name) => name.startsWith('workforce-'));
  for (const name of referred) expect(names).toContain(name);
  expect(names).toContain('workforce-backup.timer');
  const [api, worker] = ['api', 'worker'].map((name) =>
    SERVICES.find((unit) => unit.name === `workforce-${name}.service`)!.lines.join('\n'),
  );
  expect([/OPS_PORT=3003/.test(api!), /OPS_PORT=3003/.test(worker!)]).toEqual([false, true]);
});

describe.each(['Caddyfile', 'nginx.conf'])('the proxy of %s', (name) => {
  const text = read(name);

  it('sends to the ports of both APIs and both sandboxes', () => {
    const placed = text.replaceAll('{args.0}', '3000').concat(text.replaceAll('{args.0}', '3001'));
    for (const address of ['api-1:3000', 'api-2:3000', 'api-1:3001', 'api-2:3001']) expect(placed).toContain(address);
    for (const host of ['hr.example.com', 'sandbox.hr.example.com']) expect(text).toContain(host);
  });

  it('sends security headers, takes the largest import, and repeats no write that was sent', () => {
    expect(text).toContain('Strict-Transport-Security "max-age=31536000; includeSubDomains"');
    for (const header of ['X-Content-Type-Options nosniff', 'Referrer-Policy', 'Content-Security-Policy'])
      expect(text).toContain(header);
    expect(Number(/(?:max_size|client_max_body_size) (\d+)m/i.exec(text)![1]) * 1e6).toBeGreaterThan(
      MAX_IMPORT_BODY_BYTES,
    );
    expect(text).toMatch(/proxy_next_upstream error;|method GET HEAD\n/);
  });
});

it('nginx says who calls in its own words, and keeps addresses and paths out of its log', () => {
  expect(read('nginx.conf')).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
  expect(/log_format .*'(.*)';/.exec(read('nginx.conf'))![1]).not.toMatch(
    /remote_addr|request_uri|\$uri|\$args|\$request"/,
  );
});
