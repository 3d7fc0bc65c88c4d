import { type Command, Option } from 'commander';
import { CONTRACT_SCOPES, EXTENSION_SCOPES } from '#kernel/scopes.js';
import { action } from '../command.js';

const SCOPES_HELP = `comma-separated; all: the ${CONTRACT_SCOPES.length} of the API's contract; extension scopes, which all does not contain, by name: ${EXTENSION_SCOPES.join(', ')}`;

/** `workforce keys …`: the API keys of organisations. */
export function register(program: Command): void {
  const group = program.command('keys').description('create, list and revoke API keys');
  const create = group
    .command('create')
    .description('create an API key, which is shown only once')
    .requiredOption('--organisation <organisation>', 'id or subdomain')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--scopes <scopes>', SCOPES_HELP)
    .addOption(
      new Option(
        '--environment <environment>',
        "live: the organisation's own data; sandbox: synthetic people; the first such key creates the sandbox",
      )
        .choices(['live', 'sandbox'])
        .default('live'),
    )
    .option(
      '--expires <when>',
      "a date (valid to its last second in the organisation's time zone) or a date-time (default: never)",
    );
  action(create, async (call) => (await work()).createKey(call));
  action(
    group
      .command('list')
      .description('list API keys')
      .option('--organisation <organisation>', 'id or subdomain (default: all organisations)'),
    async (call) => (await work()).listKeys(call),
  );
  action(
    group
      .command('revoke')
      .argument('<key-id>', 'id of the key, from keys list')
      .description('revoke an API key permanently, with the keys that it made')
      .option('--keep-keys', 'leave the keys that it made'),
    async (call) => (await work()).revokeKey(call),
  );
}

function work(): Promise<typeof import('../work/keys.js')> {
  return import('../work/keys.js');
}
