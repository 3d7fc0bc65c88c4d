import { type Command, Option } from 'commander';
import { ENDPOINT_STATES } from '#webhooks/monitoring/endpoint-overview.js';
import { action } from '../command.js';

/** `workforce deliveries`: the state of webhook deliveries, over all organisations. */
export function register(program: Command): void {
  const command = program
    .command('deliveries')
    .description('show which webhook endpoints fail, since when, and what waits for them, over all organisations')
    .option('--organisation <organisation>', 'only those of one: id or subdomain')
    .option('--webhook <webhook>', 'only the endpoint of this id')
    .addOption(
      new Option('--status <status>', 'only endpoints in this state; all but those that are ok where it is left out').choices([
        ...ENDPOINT_STATES,
        'all',
      ]),
    )
    .option('--limit <number>', 'endpoints at most, up to 200', '50')
    .option('--offset <number>', 'endpoints to leave out at the beginning', '0');
  action(command, async (call) => (await import('../work/deliveries.js')).showDeliveries(call));
}
