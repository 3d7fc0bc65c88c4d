import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { register } from 'prom-client';
import type { InstallationKeys } from '#database/installation-keys.js';
import { untilTrue } from '#database/sessions/state-watch.js';
import type { CommandContext } from '#commands/command-context.js';
import { type Actor, categoryOf, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { JobEngine } from '#jobs/job-engine.js';
import { projectEvents } from '#projections/catch-up.js';
import { pause } from '#projections/leadership.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { RejectedError } from '#kernel/rejection.js';
import type { Projector } from '#projections/projector.js';
import { repeat, RETRY_MILLISECONDS, repeatWhenTrue } from '#projections/repeat.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';
import { AGGREGATES } from '#composition/registry.js';
import { RetryDelivery, StopWebhook } from '#webhooks/endpoint/worker-commands.js';
import { DeliveryMeasurements } from '#webhooks/deliver/measurements.js';
import type { DeliveryJobData } from '#webhooks/deliver/delivery-queues.js';
import { DeliveryWorker } from '#webhooks/deliver/delivery-worker.js';
import { IS_STOP_UNRECORDED, unrecordedStops } from '#webhooks/deliver/delivery-store.js';
import { FanOut } from '#webhooks/publish/fan-out.js';
import { deliverNotices, IS_NOTICE_DUE, type Notice, type NoticeChannel } from '#webhooks/publish/notices.js';
import { Sender } from '#webhooks/send/sender.js';
import type { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';

/** The dependencies of the worker's webhook part. */
export interface WebhookWorkerSettings {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
  readonly commands: CommandBus;
  readonly keys: InstallationKeys;
  readonly jobs: JobEngine;
  /** Decides where events may be sent. */
  readonly guard: UrlGuard;
  /** The time limit of an attempt, in milliseconds; by default 15,000, as the contract requires. */
  readonly attemptMilliseconds?: number;
  /** Notifies the admins of an organisation of disabled endpoints. */
  readonly notices: NoticeChannel;
  readonly onError: (work: string) => (error: unknown) => void;
}

/** The interval at which the sweep's schedule is renewed, in case Redis was flushed. */
const SCHEDULE_EVERY_MILLISECONDS = 60_000;

/** Starts creating and sending deliveries. `stop` resolves when the work in progress is recorded. */
export async function startWebhooks(settings: WebhookWorkerSettings): Promise<{ stop(): Promise<void> }> {
  const { pool, eventStore, projector, keys, jobs, onError } = settings;
  const stopping = new AbortController();
  const recording = new StopRecording(settings);
  const measurements = measurementsOfProcess();
  const worker = new DeliveryWorker({
    pool,
    engine: jobs,
    sender: new Sender({
      guard: settings.guard,
      ...(settings.attemptMilliseconds === undefined ? {} : { attemptMs: settings.attemptMilliseconds }),
    }),
    secrets: new WebhookSecrets(keys.webhookSecrets),
    retry: (job) => retryForOperator(settings, job),
    onRecorded: (result, recorded) => measurements.observe(result, recorded),
    onStopped: () => recording.wake(),
    onError: onError('delivery of webhooks'),
  });
  const mint = new IdMint(keys.ids);
  const fanOut = new FanOut({
    pool,
    eventStore,
    mint,
    publicEventsOf: (events) => publicEventsOf(mint, AGGREGATES, events),
    noticesOf,
    projectEndpoints: async (events) => {
      await projectEvents(
        { eventStore, projector },
        pool,
        events.filter(({ stream }) => categoryOf(stream) === 'webhook'),
      );
    },
    onLeading: () => worker.requestSweep(),
    // The sweep finds jobs that the queue does not accept.
    onQueued: (due) => worker.queues.add(due).catch(onError('jobs of webhooks')),
    onStopped: () => recording.wake(),
    onError: onError('fan-out of webhooks'),
  });
  const endWatch = measurements.watch(worker);
  await jobs.open();
  worker.start();
  const work = [
    fanOut.run(stopping.signal),
    recording.run(stopping.signal),
    repeat(SCHEDULE_EVERY_MILLISECONDS, stopping.signal, () => worker.scheduleSweeps(), onError('sweep of webhooks')),
    repeatWhenTrue(
      pool,
      IS_NOTICE_DUE,
      stopping.signal,
      () => deliverNotices(pool, settings.notices),
      onError('notices'),
    ),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(work);
      await worker.stop();
      endWatch();
    },
  };
}

/** Resolves with the reason for which the delivery may not be sent again; null if it will be. */
async function retryForOperator(
  { commands }: WebhookWorkerSettings,
  { organisationId, webhookId, deliveryId, attempt }: DeliveryJobData,
): Promise<string | null> {
  const context = contextOf({ type: 'operator', id: 'queues' }, organisationId, [
    'delivery retry',
    deliveryId,
    String(attempt),
  ]);
  try {
    await commands.execute(new RetryDelivery(context, webhookId, deliveryId));
    return null;
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    const [{ field, issue } = { field: '', issue: error.message }] = error.rejection.details;
    return `${field}: ${issue}`;
  }
}

function contextOf(actor: Actor, organisationId: string, seed: readonly string[]): CommandContext {
  const today = new Date().toISOString().slice(0, 10);
  return { organisationId, actor, requestId: null, idempotencyKey: null, fingerprint: null, seed, today };
}

let measured: DeliveryMeasurements | null = null;

/** The measurements of the process, created once, because a registry accepts each name once. */
function measurementsOfProcess(): DeliveryMeasurements {
  measured ??= new DeliveryMeasurements(register);
  return measured;
}

/** Records the event of every endpoint that a rule has stopped, which disables it for all readers. */
class StopRecording {
  private wakeUp = new AbortController();

  constructor(private readonly settings: WebhookWorkerSettings) {}

  /** Records a stop that this process found at once; those of other processes are polled. */
  wake(): void {
    this.wakeUp.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.wakeUp = new AbortController();
      try {
        await this.recordAll();
        await untilTrue(this.settings.pool, IS_STOP_UNRECORDED, AbortSignal.any([signal, this.wakeUp.signal]));
      } catch (error) {
        this.settings.onError('disabling of webhooks')(error);
        await pause(RETRY_MILLISECONDS, signal);
      }
    }
  }

  private async recordAll(): Promise<void> {
    const { pool, commands } = this.settings;
    for (const { organisationId, webhookId, activation, reason } of await unrecordedStops(pool)) {
      const seed = ['webhook stop', webhookId, String(activation)];
      const context = contextOf({ type: 'system', id: 'webhooks' }, organisationId, seed);
      await commands.execute(new StopWebhook(context, webhookId, { activation, reason }));
    }
  }
}

/** The notices to the admins of an organisation about endpoints that a rule disabled. */
function noticesOf(events: readonly RecordedEvent[]): readonly Notice[] {
  return events.flatMap((event): readonly Notice[] => {
    const why = event.type === 'WebhookDisabled' ? WHY_DISABLED[event.data['reason'] as string] : undefined;
    if (why === undefined) return [];
    const { organisationId, entityId } = partsOfStream(event.stream);
    const text =
      `The webhook endpoint ${entityId} was disabled: ${why} Missed events can be sent again ` + 'once it is enabled.';
    return [
      {
        organisationId,
        id: event.id,
        kind: 'webhook_disabled',
        subjectId: entityId,
        text,
        createdAt: event.recordedAt,
      },
    ];
  });
}

const WHY_DISABLED: Readonly<Record<string, string | undefined>> = {
  delivery_failures: 'ten of its deliveries failed permanently.',
  delivery_overflow: 'too many deliveries were waiting for it.',
  gone: 'its receiver answered 410 Gone, which means that it wants no more events.',
};
