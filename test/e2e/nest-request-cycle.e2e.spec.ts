import {
  type CallHandler,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  type NestInterceptor,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { tap } from 'rxjs';
import type { RunningApi } from '#api/listener.js';
import type { Answer, Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { addKey, addOrganisation, pipelineDatabase, send, startWidgetApi } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

const seen: string[] = [];

abstract class Noting implements NestInterceptor {
  abstract readonly name: string;

  intercept(_: ExecutionContext, next: CallHandler) {
    seen.push(`${this.name} before`);
    return next.handle().pipe(tap(() => seen.push(`${this.name} after`)));
  }
}

@Injectable()
class OfApplication extends Noting {
  readonly name = 'interceptor of the application';
}

@Injectable()
class OfController extends Noting {
  readonly name = 'interceptor of the controller';
}

@Injectable()
class GuardOfApplication implements CanActivate {
  canActivate(): boolean {
    seen.push('guard of the application');
    return true;
  }
}

@Injectable()
class GuardOfController implements CanActivate {
  canActivate(): boolean {
    seen.push('guard of the controller');
    return true;
  }
}

class Greeting {
  @TextField()
  readonly text!: string;
}

@Controller('greeting')
@UseGuards(GuardOfController)
@UseInterceptors(OfController)
class GreetingController {
  @Get()
  @Operation({
    operationId: 'getGreeting',
    summary: 'Greet',
    tags: ['Meta'],
    scope: 'people:read',
    capability: 'greeting.read',
    response: Greeting,
  })
  read(@Receive() call: Call): Answer {
    seen.push(`controller for ${call.key.actor.type}`);
    return { data: { text: 'hello', secret: 'of the controller' } };
  }

  @Get('aloud')
  @Endpoint({ name: 'greetAloud', callers: 'all', scopes: ['people:read'], excludesHead: true })
  readAloud(@Receive() call: Call): object {
    seen.push(`endpoint for ${call.key.actor.type}`);
    return { data: { text: 'HELLO' } };
  }

  @Post('aloud')
  @Endpoint({ name: 'setGreeting', callers: 'all', scopes: ['people:write'], writes: true, body: Greeting })
  write(@Receive() { body, command }: Call<Greeting>): object {
    return { data: { ...body, actor: command!.actor.type } };
  }

  @Delete('aloud')
  @Endpoint({ name: 'endGreeting', callers: 'all', scopes: ['people:write'], writes: 'under_any_plan' })
  end(@Receive() { command }: Call): object {
    return { data: { actor: command!.actor.type } };
  }
}

@Module({
  controllers: [GreetingController],
  providers: [
    { provide: APP_GUARD, useClass: GuardOfApplication },
    { provide: APP_INTERCEPTOR, useClass: OfApplication },
  ],
})
class GreetingModule {
  constructor({ httpAdapter }: HttpAdapterHost<FastifyAdapter>) {
    httpAdapter.getInstance().addHook('preSerialization', async (_request, _reply, payload) => {
      serialised.push(payload);
      return { ...(payload as object), secret: 'of a hook' };
    });
  }
}

const serialised: unknown[] = [];
let database: TestDatabase;
let api: RunningApi;
beforeAll(async () => {
  database = await pipelineDatabase();
  api = await startWidgetApi(database.pool, {
    modules: [GreetingModule],
  });
});
beforeEach(() => seen.splice(0));
afterAll(async () => {
  await api.stop();
  await database.drop();
});

it('guards and interceptors that a module and a controller add run in Nest’s order, around the controller', async () => {
  const { apiKey } = await addKey(database.pool);
  const answer = await send(api, { path: '/greeting', key: apiKey });
  expect([answer.status, answer.json.data]).toEqual([200, { text: 'hello' }]);
  expect(seen).toEqual([
    'guard of the application',
    'guard of the controller',
    'interceptor of the application before',
    'interceptor of the controller before',
    'controller for api_key',
    'interceptor of the controller after',
    'interceptor of the application after',
  ]);
});

it('a request that our own guards refuse reaches no interceptor and no controller', async () => {
  const { apiKey } = await addKey(database.pool, { scopes: ['time_off:read'] });
  expect((await send(api, { path: '/greeting', key: apiKey })).status).toBe(403);
  expect((await send(api, { path: '/greeting' })).status).toBe(401);
  expect(seen.filter((step) => !step.startsWith('guard of the application'))).toEqual([]);
});

it('an endpoint outside the contract passes the same stages, and its scopes, plan and body are checked', async () => {
  const { apiKey } = await addKey(database.pool);
  const path = '/greeting/aloud';
  expect((await send(api, { path, key: apiKey })).json.data).toEqual({ text: 'HELLO' });
  expect(seen).toEqual([
    'guard of the application',
    'guard of the controller',
    'interceptor of the application before',
    'interceptor of the controller before',
    'endpoint for api_key',
    'interceptor of the controller after',
    'interceptor of the application after',
  ]);
  expect((await send(api, { method: 'HEAD', path, key: apiKey })).status).toBe(405);
  const statusOf = async (key: string, body: unknown) => (await send(api, { method: 'POST', path, key, body })).status;
  const { apiKey: reader } = await addKey(database.pool, { scopes: ['people:read'] });
  const starter = 'org_CCCCCCCC.CCCCCCCC.CCCCCCCCCCCC';
  await addOrganisation(database.pool, starter, { plan: 'starter' });
  const { apiKey: unpaid } = await addKey(database.pool, { organisationId: starter });
  expect([await statusOf('none', '{'), await statusOf(reader, '{'), await statusOf(unpaid, '{')]).toEqual([
    401, 403, 403,
  ]);
  expect([await statusOf(apiKey, '{'), await statusOf(apiKey, { txt: 1 })]).toEqual([400, 400]);
  const written = await send(api, { method: 'POST', path, key: apiKey, body: { text: 'hi' } });
  expect([written.status, written.json.data]).toEqual([201, { text: 'hi', actor: 'api_key' }]);
  const ended = await send(api, { method: 'DELETE', path, key: unpaid });
  expect([ended.status, ended.json.data]).toEqual([200, { actor: 'api_key' }]);
  expect((await send(api, { method: 'DELETE', path, key: reader })).status).toBe(403);
});

it('a handler that receives no call cannot be declared an operation: nothing would check its input', () => {
  class Unchecked {
    read(): Answer {
      return {};
    }
  }
  const declare = (): void =>
    Operation({ operationId: 'x', summary: '', tags: [], scope: null, capability: 'x', response: null })(
      Unchecked.prototype,
      'read',
      Object.getOwnPropertyDescriptor(Unchecked.prototype, 'read')!,
    );
  expect(declare).toThrow('x takes no call');
});

it('Fastify serialises an answer by the response class: a field that the class does not list stays behind', async () => {
  const { apiKey } = await addKey(database.pool);
  serialised.splice(0);
  const answer = await send(api, { path: '/greeting', key: apiKey });
  expect(serialised).toEqual([{ data: { text: 'hello', secret: 'of the controller' }, pagination: {} }]);
  expect(answer.json).toEqual({ data: { text: 'hello' } });
});
