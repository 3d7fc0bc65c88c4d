import { type Command, Option } from 'commander';
import { DELIVERY_STATUSES } from '#webhooks/endpoint/read-deliveries.js';
import { action } from '../command.js';
import { ofOrganisation, withinOrganisation } from '../options.js';

/** `workforce webhooks …`: an organisation's endpoints, their deliveries, and a receiver for tests. */
export function register(program: Command): void {
  const group = program
    .command('webhooks')
    .description('manage webhook endpoints and deliveries, and receive events on this machine');
  registerEndpoints(group);
  registerDeliveries(group);
  const listen = group
    .command('listen')
    .description('receive events at 127.0.0.1 and print them, until Ctrl-C')
    .option('--port <port>', 'port to listen on (default: any free port)')
    .option('--secret <secret>', 'signing secret to verify deliveries with, whsec_…')
    .option('--organisation <organisation>', 'id or subdomain, for --subscribe')
    .option('--subscribe', 'create an endpoint for this receiver, and delete it at the end')
    .option('--events <types>', 'event types to subscribe to, comma-separated (default: all)')
    .option('--status <code>', 'HTTP status code to answer with', '200')
    .option('--count <number>', 'stop after this many events');
  action(listen, async (call) => (await import('../work/webhooks-listen.js')).listen(call));
}

function registerEndpoints(group: Command): void {
  action(
    ofOrganisation(
      group.command('list').description('list all endpoints with the number of their deliveries in each state'),
    ),
    async (call) => (await endpoints()).listEndpoints(call),
  );
  const create = ofOrganisation(
    group.command('create').description('create an endpoint; its signing secret is shown only once'),
  )
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--url <url>', 'a public https address')
    .requiredOption('--events <types>', 'event types, comma-separated, or all');
  action(create, async (call) => (await endpoints()).createEndpoint(call));
  const change = ofOrganisation(
    group
      .command('update')
      .alias('change')
      .argument('<webhook>', 'id of the endpoint')
      .description('change an endpoint, disable it, or enable it again'),
  )
    .option('--name <name>', 'what it is for')
    .option('--url <url>', 'a public https address')
    .option('--events <types>', 'event types, comma-separated, or all; replaces the present ones')
    .addOption(new Option('--enable', 'resume deliveries to it').conflicts('disable'))
    .option('--disable', 'stop deliveries to it');
  action(change, async (call) => (await endpoints()).changeEndpoint(call));
  const rotate = group.command('rotate-secret').argument('<webhook>', 'id of the endpoint');
  action(
    ofOrganisation(
      rotate.description(
        'make a new signing secret, which is shown only once; the previous one also signs for 24 hours',
      ),
    ),
    async (call) => (await endpoints()).rotateSecret(call),
  );
  const remove = group
    .command('delete')
    .argument('<webhook>', 'id of the endpoint')
    .description('delete an endpoint permanently, with its deliveries');
  action(ofOrganisation(remove), async (call) => (await endpoints()).deleteEndpoint(call));
  const test = group
    .command('test')
    .argument('<webhook>', 'id of the endpoint')
    .description('send the synthetic event webhook.test to an endpoint');
  action(ofOrganisation(test), async (call) => (await endpoints()).testEndpoint(call));
  action(
    ofOrganisation(group.command('notices').description('list notices to the admins of an organisation, newest first')),
    async (call) => (await endpoints()).listNotices(call),
  );
}

function registerDeliveries(group: Command): void {
  const list = ofOrganisation(group.command('deliveries').description('list deliveries, newest first'))
    .option('--webhook <webhook>', 'only deliveries to the endpoint with this id')
    .addOption(new Option('--status <status>', 'only deliveries in this state').choices(DELIVERY_STATUSES))
    .option('--event-type <type>', 'only deliveries of events of this type')
    .option(
      '--since <when>',
      "only deliveries created since then: a date (from its start in the organisation's time zone) or a date-time",
    )
    .option('--limit <number>', 'maximum number of deliveries', '50');
  action(list, async (call) => (await deliveries()).listAll(call));
  const show = group
    .command('delivery')
    .argument('<delivery>', 'id of the delivery')
    .description('show a delivery with its attempts');
  action(withinOrganisation(show), async (call) => (await deliveries()).showDelivery(call));
  const redeliver = group
    .command('redeliver')
    .argument('<delivery>', 'id of the delivery')
    .description('resend a delivery that failed or waits for its next attempt');
  action(withinOrganisation(redeliver), async (call) => (await deliveries()).redeliverOne(call));
  const resend = group
    .command('resend')
    .argument('<webhook>', 'id of the endpoint')
    .description('resend failed and waiting deliveries to an endpoint, and events that it missed while disabled');
  action(
    ofOrganisation(resend).requiredOption(
      '--since <when>',
      "events since then: a date (from its start in the organisation's time zone) or a date-time",
    ),
    async (call) => (await deliveries()).resend(call),
  );
}

function endpoints(): Promise<typeof import('../work/webhooks.js')> {
  return import('../work/webhooks.js');
}

function deliveries(): Promise<typeof import('../work/webhooks-deliveries.js')> {
  return import('../work/webhooks-deliveries.js');
}
