import { type Command, Option } from 'commander';
import { ENDPOINT_STATES } from '#webhooks/monitoring/endpoint-overview.js';
import { action } from '../command.js';

/** `workforce deliveries`: the state of webhook deliveries, over all organisations. */
export function register(program: Command): void {
  const command = program
    .command('deliveries')
    .description(
      'show failing webhook endpoints of all organisations, since when they fail, and their waiting deliveries',
    )
    .option('--organisation <organisation>', 'only the endpoints of this organisation: id or subdomain')
    .option('--webhook <webhook>', 'only the endpoint with this id')
    .addOption(
      new Option('--status <status>', 'only endpoints in this state (default: all states but ok)').choices([
        ...ENDPOINT_STATES,
        'all',
      ]),
    )
    .option('--limit <number>', 'maximum number of endpoints, up to 200', '50')
    .option('--offset <number>', 'number of endpoints to skip', '0');
  action(command, async (call) => (await import('../work/deliveries.js')).showDeliveries(call));
}
