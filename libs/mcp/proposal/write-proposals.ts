import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { fingerprintOf } from '#commands/receipts/fingerprint.js';
import { StateWatch } from '#database/sessions/state-watch.js';
import type { Actor } from '#event-store/event-store.js';
import { type HttpError, toHttpError } from '#http/errors.js';
import { CLOCK, DATABASE_POOL, ENVIRONMENT, ROUTES } from '#commands/injection-tokens.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { PostgresKeyDirectory } from '#access/authentication/key-directory.js';
import type { Route } from '#http/operations/route-table.js';
import {
  type GivenAnswer,
  type InvokedAnswer,
  OperationInvoker,
  type WriteInput,
} from '#http/pipeline/operation-invoker.js';
import { reasonOf } from '#configuration/error-for-log.js';
import { seedOf } from '#http/pipeline/writes.js';
import type { WriteToPropose, WriteProposer } from './write-proposer.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import type { JsonObject } from '#kernel/json.js';
import { asLine } from '#kernel/plain-text.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { Pool } from 'pg';
import { newPersonKey } from '#people/record/email-addresses.js';
import { newPersonId } from '#people/record/people-writer.js';
import { personKeyOf } from '#people/person/person-keys.js';
import { withSealedFingerprint } from '#people/person/person-seal.js';
import { ResourceServices } from '#commands/resource-services.js';
import { changesOfWrite, openContent, type ProposalContent, sealContent } from './proposal-content.js';
import { RecordProposal } from './record-proposal.js';
import {
  nextOpenProposal,
  openProposals,
  type Refusal,
  type WriteProposalRow,
  writeProposalTable,
  PROPOSAL_LIFETIME_MILLISECONDS,
} from './write-proposal.js';

const MAX_CLIENT_LENGTH = 100;
/** The maximum number of attempts to read a resource and decide the write without a concurrent change. */
const ATTEMPTS = 20;

const SYSTEM: Actor = { type: 'system', id: 'write-proposals' };
const KEY_IS_GONE: Refusal = {
  code: 'permission_denied',
  message: 'The key that proposed the write was revoked or has expired.',
};
const PERSON_IS_ERASED: Refusal = { code: 'conflict', message: 'The personal data of the person was erased.' };
const NO_OPERATION: Refusal = {
  code: 'not_found',
  message: 'This version of the service does not offer the operation.',
};

/**
 * Creates proposals of writes, and carries out approved ones: at once after an approval over the API,
 * otherwise within a second of the approval or of the start of a process. The write runs under an idempotency
 * key that derives from the proposal, so that it is recorded once, for any number of attempts.
 */
@Injectable()
export class WriteProposals implements WriteProposer, OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(WriteProposals.name);
  private readonly directory: PostgresKeyDirectory;
  private readonly routes: ReadonlyMap<string, Route>;
  private endWatch: () => void = () => undefined;
  private running: Promise<void> | null = null;
  private hasFailed = false;

  constructor(
    private readonly services: ResourceServices,
    private readonly invoker: OperationInvoker,
    private readonly commands: CommandBus,
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(ROUTES) routes: readonly Route[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: KeyEnvironment,
  ) {
    this.directory = new PostgresKeyDirectory(pool);
    this.routes = new Map(routes.map((route) => [route.operation.operationId, route]));
  }

  onApplicationBootstrap(): void {
    this.endWatch = StateWatch.of(this.pool).add({ text: nextOpenProposal(this.environment) }, (state) => {
      if (state !== null && !(Number(state) > this.clock.now().getTime())) this.carryOnSoon();
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.endWatch();
    await this.running;
  }

  /** The route of a proposal's operation; null if this version of the service has none. */
  routeOf(operation: string): Route | null {
    return this.routes.get(operation) ?? null;
  }

  async propose(requested: WriteToPropose): Promise<string> {
    const { route, proposal, key, requestId, parameters, body } = requested;
    const organisationId = key.organisation.id;
    const seed = seedOf(key, requested.idempotencyKey);
    const id = this.idOf(requested);
    const context: CommandContext = {
      organisationId,
      actor: key.actor,
      requestId,
      idempotencyKey: requested.idempotencyKey,
      fingerprint: fingerprintOf({
        method: route.method,
        route: route.path,
        parameters: { ...parameters } as JsonObject,
        body: body ?? null,
      }),
      seed,
      today: dateIn(key.organisation.timeZone, this.clock.now()),
    };
    const earlier = await writeProposalTable.find(this.services.executor, organisationId, id);
    if (earlier !== null) {
      const key = await this.requireKey(organisationId, earlier.person_id);
      // The event exists: the command is not decided again, and only compared with the proposing request.
      const proposed = { ...earlier, expires_at: earlier.expires_at.toISOString() };
      return this.record(withSealedFingerprint(context, key), id, { type: 'propose', proposed });
    }
    const { read, input } = await this.decideAsRead(requested, id);
    const before = read === null ? null : (JSON.parse(read.body) as { readonly data: JsonObject }).data;
    const personId = this.personOf(requested, before, input);
    const content: ProposalContent = {
      parameters: parameters as ProposalContent['parameters'],
      body: body ?? null,
      changes: changesOfWrite(body ?? null, before, proposal.becomes),
      client: requested.client === null ? null : asLine(requested.client, MAX_CLIENT_LENGTH),
    };
    const personKey =
      proposal.personIn === 'new'
        ? await newPersonKey(this.services.executor, { organisationId, personId }, false)
        : await this.requireKey(organisationId, personId);
    const proposed = {
      operation: route.operation.operationId,
      key_id: key.keyId,
      environment: key.environment,
      person_id: personId,
      entity_tag: read?.entityTag ?? null,
      expires_at: new Date(this.clock.now().getTime() + PROPOSAL_LIFETIME_MILLISECONDS).toISOString(),
      sealed: sealContent(content, personKey),
    };
    return this.record(withSealedFingerprint(context, personKey), id, { type: 'propose', proposed });
  }

  async isProposed(requested: Pick<WriteToPropose, 'key' | 'idempotencyKey'>): Promise<boolean> {
    return (
      (await writeProposalTable.find(this.services.executor, requested.key.organisation.id, this.idOf(requested))) !==
      null
    );
  }

  /**
   * Reads the resource of the write, and decides the write against it. The client sends no entity tag, so a
   * concurrent change is not its conflict: both are done again. Throws the write's refusals, and 409 for a
   * write without a change.
   */
  private async decideAsRead(
    { route, reads, key, requestId, address, parameters, body }: WriteToPropose,
    id: string,
  ): Promise<{ readonly read: InvokedAnswer | null; readonly input: WriteInput }> {
    for (let attempt = 1; ; attempt += 1) {
      const read =
        reads === null ? null : await this.invoker.read(reads, { key, requestId, address, parameters, query: {} });
      const input = {
        key,
        requestId,
        address,
        parameters,
        body,
        ifMatch: tagsOf(read),
        idempotencyKey: idempotencyKeyOf(id),
      };
      try {
        if ((await this.invoker.decided(route, input)) !== null) return { read, input };
      } catch (error) {
        if (attempt === ATTEMPTS || toHttpError(error, input.ifMatch !== null).code !== 'precondition_failed')
          throw error;
        continue;
      }
      throw new RejectedError(conflict('operation', 'would change nothing: the resource is already as proposed'));
    }
  }

  /**
   * Carries out the write of an approved proposal, and records the outcome. Does nothing for other proposals.
   * Throws if the outcome is unknown, or another process is doing it: a later attempt completes it.
   */
  async carryOut(organisationId: string, id: string): Promise<void> {
    const row = await writeProposalTable.require(this.services.executor, organisationId, id);
    if (row.status !== 'approved') return;
    const refusal = await this.write(organisationId, row);
    const context: CommandContext = {
      organisationId,
      actor: SYSTEM,
      requestId: null,
      idempotencyKey: null,
      fingerprint: null,
      seed: [id, 'outcome'],
      today: dateIn('UTC', this.clock.now()),
    };
    await this.record(context, id, refusal === null ? { type: 'note_applied' } : { type: 'note_overtaken', refusal });
  }

  /** The same for the approving request; if it fails temporarily, the next round completes the write. */
  async carryOutSoon(organisationId: string, id: string): Promise<void> {
    try {
      await this.carryOut(organisationId, id);
    } catch (error) {
      if (!isTransient(toHttpError(error, false))) throw error;
      this.log.warn(`An approved write waits for the next round: ${reasonOf(error)}`);
    }
  }

  private idOf({ key, idempotencyKey }: Pick<WriteToPropose, 'key' | 'idempotencyKey'>): string {
    return this.services.mint.prefixed('writeProposal', key.organisation.id, ...seedOf(key, idempotencyKey));
  }

  private async write(organisationId: string, row: WriteProposalRow): Promise<Refusal | null> {
    const route = this.routeOf(row.operation);
    if (route === null) return NO_OPERATION;
    const content = await openContent(this.services.executor, organisationId, row);
    if (content === null) return PERSON_IS_ERASED;
    const key = await this.directory.findById(row.key_id);
    if (key === null || !this.isValid(key, organisationId)) return KEY_IS_GONE;
    const input: WriteInput = {
      key,
      requestId: `proposal:${row.id}`,
      address: () => '',
      parameters: content.parameters,
      body: content.body ?? undefined,
      ifMatch: row.entity_tag === null ? null : [row.entity_tag],
      idempotencyKey: idempotencyKeyOf(row.id),
    };
    const approval = { proposal_id: row.id, approved_by: { type: row.decided_by_type!, id: row.decided_by! } };
    try {
      return refusalIn(await this.invoker.write(route, input, approval));
    } catch (cause) {
      const error = toHttpError(cause, row.entity_tag !== null);
      if (isTransient(error)) throw cause;
      return { code: error.code, message: error.details[0]?.issue ?? error.message };
    }
  }

  private isValid({ organisation, expiresAt }: AuthenticatedKey, organisationId: string): boolean {
    return organisation.id === organisationId && (expiresAt === null || expiresAt > this.clock.now().getTime());
  }

  private carryOnSoon(): void {
    this.running ??= this.carryOn().finally(() => {
      this.running = null;
    });
  }

  /**
   * Completes abandoned proposals: approved writes of a dead process or of the command line, and expired
   * proposals.
   */
  private async carryOn(): Promise<void> {
    try {
      const now = this.clock.now();
      for (const { organisation_id: organisationId, id, status } of await openProposals(
        this.services.executor,
        this.environment,
        now,
      )) {
        if (status === 'approved') await this.carryOut(organisationId, id);
        else await this.expire(organisationId, id, now);
      }
      this.hasFailed = false;
    } catch (error) {
      // The next round tries again; one log line reports it until a round succeeds.
      if (!this.hasFailed) this.log.warn(`Write proposals could not be processed: ${reasonOf(error)}`);
      this.hasFailed = true;
    }
  }

  private async expire(organisationId: string, id: string, now: Date): Promise<void> {
    const context: CommandContext = {
      organisationId,
      actor: SYSTEM,
      requestId: null,
      idempotencyKey: null,
      fingerprint: null,
      seed: [id, 'expiry'],
      today: dateIn('UTC', now),
    };
    await this.record(context, id, { type: 'expire', now: now.toISOString() });
  }

  /** Returns the id. */
  private async record(context: CommandContext, id: string, command: RecordProposal['command']): Promise<string> {
    await this.commands.execute(new RecordProposal(context, id, command));
    return id;
  }

  private personOf(
    { proposal, parameters, body }: WriteToPropose,
    before: JsonObject | null,
    { key, idempotencyKey }: WriteInput,
  ): string {
    switch (proposal.personIn) {
      case 'path':
        return parameters['personId'] as string;
      case 'body':
        return body!['person_id'] as string;
      case 'read':
        return (before!['person'] as { readonly id: string }).id;
      case 'new':
        return newPersonId(this.services.mint, {
          organisationId: key.organisation.id,
          seed: seedOf(key, idempotencyKey),
        });
    }
  }

  private async requireKey(organisationId: string, personId: string): Promise<Buffer> {
    const key = await personKeyOf(this.services.executor, organisationId, personId);
    if (key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
    return key;
  }
}

/**
 * The key under which an approved write runs. A space in it makes it differ from the keys of requests, which
 * have none.
 */
function idempotencyKeyOf(id: string): string {
  return `proposal ${id}`;
}

function tagsOf(read: InvokedAnswer | null): readonly string[] | null {
  const tag = read?.entityTag ?? null;
  return tag === null ? null : [tag];
}

/** The refusal in a stored response; null for a success. */
function refusalIn({ status, body }: GivenAnswer): Refusal | null {
  if (status < 400) return null;
  const { error } = JSON.parse(body) as { readonly error: { readonly code: string; readonly message: string } };
  return { code: error.code, message: error.message };
}

/** Whether another attempt may have a different result without a change. */
function isTransient({ status, code, details }: HttpError): boolean {
  return status >= 500 || (code === 'idempotency_conflict' && details.some(({ issue }) => issue === 'in_progress'));
}
