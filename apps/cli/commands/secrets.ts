import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce secrets …`: the keys of the installation, and their versions. */
export function register(program: Command): void {
  const group = program.command('secrets').description('rotate the keys of the installation; never shows one');
  action(group.command('list').description('show the key rings, their versions, and how many things each version still seals'), async () =>
    (await work()).listSecrets(),
  );
  action(
    group
      .command('rotate')
      .argument('<ring>', RING)
      .description('make a new version, which seals from now on; older ones still open what they sealed'),
    async (call) => (await work()).rotateSecret(call),
  );
  action(
    group
      .command('reseal')
      .argument('<ring>', RING)
      .description('encrypt stored values with the newest version while reads and writes continue; an interrupted run is resumed'),
    async (call) => (await work()).resealSecrets(call),
  );
  action(
    group
      .command('retire')
      .argument('<ring>', RING)
      .argument('<version>', 'as secrets list shows it')
      .description('forget an older version for good; refused while something is sealed with it'),
    async (call) => (await work()).retireSecret(call),
  );
  action(group.command('wrap').description('wrap the keys of the installation with MASTER_KEY, or with a new one'), async () =>
    (await work()).wrapKeys(),
  );
}

const RING = 'cursors, picture-links, webhook-secrets or personal-data';

function work(): Promise<typeof import('../work/secrets.js')> {
  return import('../work/secrets.js');
}
