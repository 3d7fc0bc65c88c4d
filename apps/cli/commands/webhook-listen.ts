import type { Json } from '#kernel/json.js';
import { RejectedError } from '#kernel/rejection.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { CreateWebhook, DeleteWebhook } from '#webhooks/endpoint/webhook-handlers.js';
import { ownCommand } from '../command.js';
import { operatorContext } from '../command-context.js';
import { CommandError, UsageError } from '../command-error.js';
import type { Given } from '../declaration.js';
import { explainError } from '../explain-error.js';
import { withInstallation } from '../installation.js';
import { flag, numberWithin, text, withDefault } from '../options.js';
import { endpointUrls, sendAsOperator, withCommandBus } from '../send-as-operator.js';
import { listenForStop } from '../serve/stop-signal.js';
import { requireOrganisation } from '../find-named.js';
import { lineOf, type ReceivedEvent, startReceiver } from '../work/webhook-receiver.js';
import { eventTypesOf, eventTypesText } from '../work/event-types.js';

/** An endpoint with the address of this receiver, which exists while this process listens. */
interface OwnEndpoint {
  readonly id: string;
  readonly secret: string;
  readonly events: readonly string[];
  readonly organisation: OrganisationRow;
}

const OPTIONS = {
  port: numberWithin('<port>', 'port to listen on (default: any free port)', [0, 65_535]),
  secret: text('<secret>', 'signing secret to verify deliveries with, whsec_…'),
  organisation: text('<organisation>', 'id or subdomain, for --subscribe'),
  subscribe: flag('create an endpoint for this receiver, and delete it at the end'),
  events: text('<types>', 'event types to subscribe to, comma-separated (default: all)', eventTypesOf),
  status: withDefault(numberWithin('<code>', 'HTTP status code to answer with', [200, 599]), '200'),
  count: numberWithin('<number>', 'stop after this many events', [1, Number.MAX_SAFE_INTEGER]),
};

/** `workforce webhooks listen`. It has no connection to the database while it listens. */
export const listen = ownCommand({
  description: 'receive events at 127.0.0.1 and print them, until Ctrl-C',
  options: OPTIONS,
  run: (given, json) => {
    const { organisation, subscribe: isSubscriber, events, secret } = given;
    if (isSubscriber && organisation === undefined)
      throw new UsageError('--subscribe needs --organisation: it creates an endpoint there.');
    if (!isSubscriber && organisation !== undefined)
      throw new UsageError('--organisation needs --subscribe: without it, no endpoint is created.');
    if (!isSubscriber && events !== undefined)
      throw new UsageError('--events needs --subscribe: without it, every event is shown.');
    if (isSubscriber && secret !== undefined)
      throw new UsageError('--secret and --subscribe exclude each other: the new endpoint has its own secret.');
    if (secret !== undefined && !/^whsec_./.test(secret))
      throw new UsageError('--secret must be a signing secret: it begins with whsec_.');
    return receiveUntilStop(given, (document, line) => {
      process.stdout.write(`${json ? JSON.stringify(document) : line}\n`);
    });
  },
});

/** `print` prints one document or one line at a time. */
async function receiveUntilStop(
  { port = 0, status, count, secret: given, organisation, events = eventTypesOf('all') }: Given<typeof OPTIONS>,
  print: (json: Json, text: string) => void,
): Promise<number> {
  const stop = listenForStop();
  // The reader has closed the pipe, as `head` does: the command ends, and its endpoint must not outlive it.
  process.stdout.on('error', () => stop.request({ reason: 'standard output is closed', exitCode: 0 }));
  let printed = 0;
  const onEvent = (event: ReceivedEvent): boolean => {
    if (printed === count) return false;
    print({ kind: 'event', ...event }, lineOf(event));
    printed += 1;
    if (printed === count) stop.request({ reason: 'the requested number of events arrived', exitCode: 0 });
    return true;
  };
  let tellSecret: (secret: string | null) => void = () => undefined;
  const known = new Promise<string | null>((resolve) => {
    tellSecret = resolve;
  });
  const receiver = await startReceiver({ port, status, secret: known, onEvent });
  try {
    const endpoint = organisation === undefined ? null : await subscribe(organisation, events, receiver.url);
    try {
      const secret = endpoint?.secret ?? given ?? null;
      const [webhook_id, secret_last_four] = [endpoint?.id ?? null, secret?.slice(-4) ?? null];
      const document = { kind: 'listening', url: receiver.url, webhook_id, secret_last_four };
      print(document, `Listening at ${receiver.url} until Ctrl-C${listeningText(secret_last_four, endpoint)}`);
      tellSecret(secret);
      return (await stop.requested).exitCode;
    } finally {
      if (endpoint !== null) await unsubscribe(endpoint);
    }
  } finally {
    await receiver.stop();
  }
}

function subscribe(named: string, events: readonly string[], url: string): Promise<OwnEndpoint> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, named);
    if (endpointUrls(installation.configuration).problemOf(url) !== null) throw new CommandError(NOT_ALLOWED);
    const requested = { name: 'workforce listen', url, subscribed_events: events };
    const { webhook, signingSecret } = await sendAsOperator(
      installation,
      organisation,
      (context) => new CreateWebhook(context, requested, null),
    );
    // A random context never repeats a request, so the response always has the secret.
    return { id: webhook.id, secret: signingSecret!, events, organisation };
  });
}

const NOT_ALLOWED =
  'Events are not sent to 127.0.0.1: start both the server and this command with WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8.';

/** Deletes the endpoint. An endpoint that is already deleted is not a failure. */
async function unsubscribe({ id, organisation }: OwnEndpoint): Promise<void> {
  try {
    const deletion = new DeleteWebhook(operatorContext(organisation), id);
    await withInstallation((installation) => withCommandBus(installation, (commands) => commands.execute(deletion)));
  } catch (error) {
    if (error instanceof RejectedError && error.rejection.kind === 'not_found') return;
    const why = explainError(error);
    throw new CommandError(
      `The endpoint still exists: workforce webhooks delete ${id} --organisation ${organisation.id} deletes it. ${why}`,
      { cause: error },
    );
  }
}

function listeningText(lastFour: string | null, endpoint: OwnEndpoint | null): string {
  if (endpoint === null && lastFour === null) return '. Without --secret no event can be verified.';
  if (endpoint === null) return `. Events are verified with the secret …${lastFour}.`;
  const { id, organisation, events } = endpoint;
  return [
    `, which deletes the endpoint ${id} (secret …${lastFour}).`,
    `Events of ${organisation.name}: ${eventTypesText(events)}. If none arrives: the server also needs WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8.`,
  ].join('\n');
}
