import { type Command, Option } from 'commander';
import { DELIVERY_STATUSES } from '#resources/integration/webhook/delivery.queries.js';
import { action } from '../command.js';
import { ofOrganisation, withinOrganisation } from '../options.js';

/** `workforce webhooks …`: where an organisation's events are sent, what became of them, and a receiver to try them with. */
export function register(program: Command): void {
  const group = program.command('webhooks').description('manage webhook endpoints and deliveries, and receive events on this machine');
  registerEndpoints(group);
  registerDeliveries(group);
  const listen = group
    .command('listen')
    .description('receive events at 127.0.0.1 and print each as it comes, until Ctrl-C')
    .option('--port <port>', 'where to listen; any free port where it is left out')
    .option('--secret <secret>', 'the signing secret that deliveries are verified with, whsec_…')
    .option('--organisation <organisation>', 'id or subdomain, for --subscribe')
    .option('--subscribe', 'make an endpoint of the organisation for this receiver, and delete it at the end')
    .option('--events <types>', 'what to subscribe to, comma-separated; all where it is left out')
    .option('--status <code>', 'what to answer', '200')
    .option('--count <number>', 'end after so many events');
  action(listen, async (call) => (await import('../work/webhooks-listen.js')).listen(call));
}

function registerEndpoints(group: Command): void {
  action(ofOrganisation(group.command('list').description('list all endpoints with the counts of their deliveries')), async (call) =>
    (await endpoints()).listEndpoints(call),
  );
  const create = ofOrganisation(group.command('create').description('create an endpoint; its signing secret is shown this once'))
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--url <url>', 'a public https address')
    .requiredOption('--events <types>', 'event types, comma-separated, or all');
  action(create, async (call) => (await endpoints()).createEndpoint(call));
  const change = ofOrganisation(
    group.command('change').argument('<webhook>', 'id of the endpoint').description('change an endpoint, disable it, or enable it again'),
  )
    .option('--name <name>', 'what it is for')
    .option('--url <url>', 'a public https address')
    .option('--events <types>', 'its event types, which replace the present ones, comma-separated, or all')
    .addOption(new Option('--enable', 'send to it again').conflicts('disable'))
    .option('--disable', 'send nothing to it any more');
  action(change, async (call) => (await endpoints()).changeEndpoint(call));
  const rotate = group.command('rotate-secret').argument('<webhook>', 'id of the endpoint');
  action(
    ofOrganisation(rotate.description('make a new signing secret, shown this once; the one before signs for 24 hours more')),
    async (call) => (await endpoints()).rotateSecret(call),
  );
  const remove = group.command('delete').argument('<webhook>', 'id of the endpoint').description('delete an endpoint for good');
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
    .option('--webhook <webhook>', 'only those to this endpoint, by its id')
    .addOption(new Option('--status <status>', 'only those in this state').choices(DELIVERY_STATUSES))
    .option('--event-type <type>', 'only those of such events')
    .option('--since <when>', "only those made since then: a date, from its beginning in the organisation's time zone, or a date-time")
    .option('--limit <number>', 'at most so many', '50');
  action(list, async (call) => (await deliveries()).listAll(call));
  const show = group.command('delivery').argument('<delivery>', 'id of the delivery').description('show a delivery with its attempts');
  action(withinOrganisation(show), async (call) => (await deliveries()).showDelivery(call));
  const redeliver = group
    .command('redeliver')
    .argument('<delivery>', 'id of the delivery')
    .description('send a delivery again that failed or waits for its next attempt');
  action(withinOrganisation(redeliver), async (call) => (await deliveries()).redeliverOne(call));
  const resend = group
    .command('resend')
    .argument('<webhook>', 'id of the endpoint')
    .description('send an endpoint again what failed, what waits for its next attempt, and what it missed while it was disabled');
  action(
    ofOrganisation(resend).requiredOption(
      '--since <when>',
      "what happened since then: a date, from its beginning in the organisation's time zone, or a date-time",
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
