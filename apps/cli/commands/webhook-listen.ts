import type { Json } from '#kernel/json.js';
import { RejectedError } from '#kernel/rejection.js';
import { CreateWebhook, DeleteWebhook } from '#webhooks/endpoint/webhook-handlers.js';
import { ownCommand } from '../command.js';
import { operatorContext } from '../command-context.js';
import { CommandError, UsageError } from '../command-error.js';
import { explainError } from '../explain-error.js';
import { withInstallation } from '../installation.js';
import { flag, numberWithin, text, withDefault } from '../options.js';
import { sendAsOperator, withCommandBus } from '../send-as-operator.js';
import { listenForStop, type StopReason, type StopSignal } from '../serve/stop-signal.js';
import { requireOrganisation } from '../find-named.js';
import { lineOf, type ReceivedEvent, startReceiver } from '../work/webhook-receiver.js';
import { endpointUrls } from '../webhook-parts.js';
import { eventTypesOf, eventTypesText } from '../work/event-types.js';

/** The checked options of the operator. */
interface ListenSettings {
  readonly port: number;
  readonly status: number;
  /** Null for no end. */
  readonly count: number | null;
  readonly secret: string | null;
  /**
   * The organisation and event types to subscribe to; null for no subscription: any sender may send events.
   */
  readonly subscription: { readonly organisation: string; readonly events: readonly string[] } | null;
}

/** An endpoint with the address of this receiver, which exists while this process listens. */
interface OwnEndpoint {
  readonly id: string;
  readonly secret: string;
  readonly events: readonly string[];
  readonly organisation: { readonly id: string; readonly name: string; readonly time_zone: string };
}

/** Prints one document or one line at a time. */
type Print = (json: Json, text: string) => void;

/** `workforce webhooks listen`. It has no connection to the database while it listens. */
export const listen = ownCommand({
  description: 'receive events at 127.0.0.1 and print them, until Ctrl-C',
  options: {
    port: numberWithin('<port>', 'port to listen on (default: any free port)', [0, 65_535]),
    secret: text('<secret>', 'signing secret to verify deliveries with, whsec_…'),
    organisation: text('<organisation>', 'id or subdomain, for --subscribe'),
    subscribe: flag('create an endpoint for this receiver, and delete it at the end'),
    events: text('<types>', 'event types to subscribe to, comma-separated (default: all)'),
    status: withDefault(numberWithin('<code>', 'HTTP status code to answer with', [200, 599]), '200'),
    count: numberWithin('<number>', 'stop after this many events', [1, Number.MAX_SAFE_INTEGER]),
  },
  run: (given, json) => {
    const { organisation, subscribe: isSubscriber, events, secret = null } = given;
    if (isSubscriber && organisation === undefined)
      throw new UsageError('--subscribe needs --organisation: it creates an endpoint there.');
    if (!isSubscriber && organisation !== undefined)
      throw new UsageError('--organisation needs --subscribe: without it, no endpoint is created.');
    if (!isSubscriber && events !== undefined)
      throw new UsageError('--events needs --subscribe: without it, every event is shown.');
    if (isSubscriber && secret !== null)
      throw new UsageError('--secret and --subscribe exclude each other: the new endpoint has its own secret.');
    if (secret !== null && !/^whsec_./.test(secret))
      throw new UsageError('--secret must be a signing secret: it begins with whsec_.');
    const { port = 0, status, count = null } = given;
    const subscription = organisation === undefined ? null : { organisation, events: eventTypesOf(events ?? 'all') };
    return receiveUntilStop({ port, status, count, secret, subscription }, json);
  },
});

async function receiveUntilStop(settings: ListenSettings, json: boolean): Promise<number> {
  const print: Print = (document, text) => void process.stdout.write(`${json ? JSON.stringify(document) : text}\n`);
  const stop = listenForStop();
  // The reader has closed the pipe, as `head` does: the command ends, and its endpoint must not outlive it.
  process.stdout.on('error', () => stop.request({ reason: 'standard output is closed', exitCode: 0 }));
  let tellSecret: (secret: string | null) => void = () => undefined;
  const secret = new Promise<string | null>((resolve) => {
    tellSecret = resolve;
  });
  const receiver = await startReceiver({
    ...settings,
    secret,
    onEvent: counting(settings.count, stop, (event) => print({ kind: 'event', ...event }, lineOf(event))),
  });
  const listening = (endpoint: OwnEndpoint | null, signingSecret: string | null, text: string): Promise<StopReason> => {
    const secret_last_four = signingSecret?.slice(-4) ?? null;
    print({ kind: 'listening', url: receiver.url, webhook_id: endpoint?.id ?? null, secret_last_four }, text);
    tellSecret(signingSecret);
    return stop.requested;
  };
  try {
    const { subscription } = settings;
    if (subscription === null)
      return (await listening(null, settings.secret, listeningText(receiver.url, settings.secret))).exitCode;
    const endpoint = await subscribe(subscription, receiver.url);
    try {
      return (await listening(endpoint, endpoint.secret, subscribedText(receiver.url, endpoint))).exitCode;
    } finally {
      await unsubscribe(endpoint);
    }
  } finally {
    await receiver.stop();
  }
}

/** Shows the requested number of events, and requests the stop with the last one. */
function counting(
  count: number | null,
  stop: StopSignal,
  show: (event: ReceivedEvent) => void,
): (event: ReceivedEvent) => boolean {
  let shown = 0;
  return (event) => {
    if (shown === count) return false;
    show(event);
    shown += 1;
    if (shown === count) stop.request({ reason: 'the requested number of events arrived', exitCode: 0 });
    return true;
  };
}

function subscribe(
  { organisation: named, events }: NonNullable<ListenSettings['subscription']>,
  url: string,
): Promise<OwnEndpoint> {
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

function listeningText(url: string, secret: string | null): string {
  const verification =
    secret === null
      ? 'Without --secret no event can be verified.'
      : `Events are verified with the secret …${secret.slice(-4)}.`;
  return `Listening at ${url} until Ctrl-C. ${verification}`;
}

function subscribedText(url: string, { id, secret, events, organisation }: OwnEndpoint): string {
  return [
    `Listening at ${url} until Ctrl-C, which deletes the endpoint ${id} (secret …${secret.slice(-4)}).`,
    `Events of ${organisation.name}: ${eventTypesText(events)}. If none arrives: the server also needs WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8.`,
  ].join('\n');
}
