import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce secrets …`: the keys of the installation, and their versions. */
export function register(program: Command): void {
  const group = program.command('secrets').description('manage the keys of the installation; no command shows a key');
  action(
    group.command('list').description('list the key rings, their versions, and how many values each version encrypts'),
    async () => (await work()).listSecrets(),
  );
  action(
    group
      .command('rotate')
      .argument('<ring>', RING)
      .description('make a new version, which is used from now on; older versions stay valid until they are retired'),
    async (call) => (await work()).rotateSecret(call),
  );
  action(
    group
      .command('reseal')
      .argument('<ring>', RING)
      .description(
        'encrypt stored values with the newest version while reads and writes continue; an interrupted run is resumed',
      ),
    async (call) => (await work()).resealSecrets(call),
  );
  action(
    group
      .command('retire')
      .argument('<ring>', RING)
      .argument('<version>', 'version to retire, from secrets list')
      .description('delete an older version permanently; refused while values are encrypted with it'),
    async (call) => (await work()).retireSecret(call),
  );
  action(
    group
      .command('wrap')
      .description('wrap the keys of the installation with MASTER_KEY; run it again when MASTER_KEY is replaced'),
    async () => (await work()).wrapKeys(),
  );
}

const RING = 'cursors, picture-links, webhook-secrets or personal-data';

function work(): Promise<typeof import('../work/secrets.js')> {
  return import('../work/secrets.js');
}
