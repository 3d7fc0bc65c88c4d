import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, readCompose, startOrder } from './compose.mjs';
import { Container, makeVolume } from './container.mjs';
import { healthCheck } from './health.mjs';
import { imagesFor } from './images.mjs';
import { Networks } from './network.mjs';
import { openReceiver } from './receiver.mjs';
import { Report } from './report.mjs';
import { useIt } from './use-it.mjs';

const SETTINGS = {
  PUBLIC_URL: 'https://hr.example.com',
  SANDBOX_PUBLIC_URL: 'https://hr.example.com:8444',
  CORS_ORIGINS: 'https://portal.example.com',
};

/**
 * Starts all services in the order of the Compose file, uses them, and stops them in the reverse order.
 * Returns the exit code.
 */
export async function rehearse({ root, directory, program }) {
  const report = new Report();
  const compose = readCompose(root, SETTINGS);
  const secrets = join(directory, 'secrets');
  execFileSync('mount', ['-t', 'tmpfs', 'netns', '/run']);
  execFileSync(
    process.execPath,
    [join(root, 'scripts', 'make-production-secrets.mjs'), '--directory', secrets, '--host', 'hr.example.com'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  // Root creates the mounts, as an engine does; each container sees only its own.
  chmodSync(secrets, 0o700);
  const receiver = await openReceiver(directory);
  const networks = new Networks(compose);
  await networks.open();
  await receiver.listen();
  const images = imagesFor({ root, program, directory });
  const containers = containersOf({ compose, root, directory, secrets, networks, images });
  for (const [name, { says }] of Object.entries(images)) report.note('stands in', name, says);
  try {
    await startAll(compose, containers, report);
    await useIt({ compose, containers, networks, secrets, receiver, report, directory });
    await stopAll(compose, containers, report);
  } catch (error) {
    report.fail('the rehearsal', 'goes to its end', error.message);
    for (const { name, output } of containers.values()) writeFileSync(join(directory, `${name}.log`), output);
    if (process.env.REHEARSAL_LOGS)
      for (const { name, output } of containers.values()) console.log(`--- ${name}\n${output.slice(-4_000)}`);
  }
  await receiver.close();
  networks.close();
  return report.print();
}

function containersOf({ compose, root, directory, secrets, networks, images }) {
  const mountsOf = (service) => [
    ...(service.secrets ?? []).map((entry) => {
      const { source, target = `/run/secrets/${source}` } = typeof entry === 'string' ? { source: entry } : entry;
      return { source: join(secrets, compose.secrets[source].file.split('/').at(-1)), target, isFile: true };
    }),
    ...(service.configs ?? []).map(({ source, target }) => ({
      source: join(root, compose.configs[source].file),
      target,
      isFile: true,
    })),
    ...(service.volumes ?? []).map((entry) => {
      const [name, target] = entry.split(':');
      const [user, group] = service.user.split(':').map(Number);
      return { source: makeVolume(join(directory, `volume-${name}`), user, group), target, isWritable: true };
    }),
  ];
  const entries = Object.entries(compose.services).map(([name, service]) => {
    networks.join(name);
    const image = images[service.image.split(':')[0]];
    const container = new Container({ name, service, image, mounts: mountsOf(service), networks, directory });
    container.check = healthCheck({ name, service, networks, secrets });
    return [name, container];
  });
  return new Map(entries);
}

async function startAll({ services }, containers, report) {
  for (const wave of startOrder(services)) {
    await Promise.all(
      wave.map(async (name) => {
        const container = containers.get(name);
        container.start();
        const isOneShot = Object.values(services).some(
          ({ depends_on: needs }) => needs?.[name]?.condition === 'service_completed_successfully',
        );
        if (!isOneShot)
          return report.note(
            name,
            'is healthy',
            `after ${seconds(await container.untilHealthy(container.check))}${
              container.restarts === 0 ? '' : ', ' + 'started ' + `${container.restarts + 1} ` + 'times'
            }`,
          );
        const code = await container.exited;
        report.expect(
          name,
          'ends with success before others start',
          code === 0,
          container.output.trim().split('\n').at(-1).slice(0, 90),
        );
        if (code !== 0) throw new Error(`${name} ended with ${code}:\n${container.output}`);
      }),
    );
  }
}

async function stopAll({ services }, containers, report) {
  for (const wave of startOrder(services).reverse()) {
    await Promise.all(
      wave.map(async (name) => {
        const container = containers.get(name);
        if (!container.isRunning) return;
        const {
          code,
          wasKilled,
          milliseconds: took,
        } = await container.stop(milliseconds(services[name].stop_grace_period));
        // The replacement of EventStoreDB has no clean shutdown, and as process 1 it would ignore signals
        // without a handler.
        report.expect(
          name,
          'stops in order when asked',
          name === 'eventstore' || (code === 0 && !wasKilled),
          `exit code ${code} after ${seconds(took)}`,
        );
      }),
    );
  }
  const left = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).length;
  report.note('everything', 'is over', `${left} processes are left, this one among them`);
}

function seconds(duration) {
  return `${(duration / 1_000).toFixed(1)} s`;
}
