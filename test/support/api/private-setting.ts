import { rm } from 'node:fs/promises';
import { SCOPES, type Scope } from '#kernel/scopes.js';
import { InProcessProgram } from '../session/in-process-program.js';
import { temporaryDirectory } from '../test-server.js';
import { followLog } from '../follow-log.js';
import { operationsOf, type WalkedOperation } from './document-walk.js';
import { recordEverything } from './everything.js';
import { type ApiClient, dataOf } from './http-client.js';
import { type LoggedInstance, startLogged } from './logged-instance.js';
import { writePrivateValues } from './private-values.js';
import { TestApi, type TestOrganisation } from './test-api.js';
import { WebhookActions } from './webhooks.js';
import type { Webhook } from './shapes.js';

const SENSITIVE: ReadonlySet<Scope> = new Set([
  'people:personal:read',
  'people:avatar:read',
  'documents:read',
  'payroll_exports:read',
  'custom_fields:read',
  'time_off:decisions:read',
]);

/**
 * An organisation with one resource of each kind, a person with a known private text of each kind, and an
 * instance with a verbose log.
 */
export class PrivateSetting {
  private constructor(
    readonly api: TestApi,
    readonly organisation: TestOrganisation,
    readonly logged: LoggedInstance,
    readonly program: InProcessProgram,
    readonly directory: string,
    /** Has every scope. */
    readonly everybody: ApiClient,
    /** Has every scope except those that give access to private data. */
    readonly ordinary: ApiClient,
    private readonly ids: ReadonlyMap<string, string>,
    /**
     * The secrets of webhooks, without their common prefix: only the answers that created them may show them.
     */
    readonly signingSecrets: readonly string[],
  ) {}

  static async make(): Promise<PrivateSetting> {
    const api = await TestApi.start();
    const organisation = await api.organisation();
    const logged = await startLogged(api);
    const { apiKey } = await api.key(organisation.row, { scopes: SCOPES.filter((scope) => !SENSITIVE.has(scope)) });
    const [everybody, ordinary] = [api.client(organisation.apiKey, logged.url), api.client(apiKey, logged.url)];
    const ids = await recordEverything(api, organisation);
    const setting = new PrivateSetting(
      api,
      organisation,
      logged,
      new InProcessProgram(api.database.url),
      await temporaryDirectory(),
      everybody,
      ordinary,
      ids,
      await signingSecrets(everybody),
    );
    await everybody.patch(`/org-units/${setting.idOf('org_unit_')}`, { head_id: setting.personId });
    await writePrivateValues({ ...setting, client: everybody }, setting.personId);
    await followLog(api.services, api.database.pool);
    return setting;
  }

  async end(): Promise<void> {
    this.program.stop();
    await rm(this.directory, { recursive: true, force: true });
    await this.logged.stop();
    await this.api.stop();
  }

  get personId(): string {
    return this.idOf('person');
  }

  /** Returns the id of the only resource of this kind. */
  idOf(kind: string): string {
    return this.ids.get(kind)!;
  }

  operations(): readonly WalkedOperation[] {
    return operationsOf(this.api.check.document);
  }
}

/**
 * Returns both secrets of an endpoint: the first, and the one after a rotation. A test event was signed with
 * both.
 */
async function signingSecrets(client: ApiClient): Promise<readonly string[]> {
  const webhooks = new WebhookActions({ client });
  const { id, signing_secret: first } = await webhooks.create();
  const { signing_secret: second } = dataOf(200, await client.send<Webhook>('POST', `/webhooks/${id}/rotate-secret`));
  const tested = await webhooks.test(id);
  if (!/^v1=\w+,v1=\w+$/.test(tested.headers['Service-Webhook-Signature']!))
    throw new Error('the test was not signed with both secrets');
  return [first, second!].map((secret) => secret.slice('whsec_'.length));
}
