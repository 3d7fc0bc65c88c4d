import {
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  type NestInterceptor,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { tap } from 'rxjs';
import type { RunningApi } from '#api/listener.js';
import type { Answer, Call } from '#http/call.js';
import { TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { addKey, pipelineDatabase, send, startWidgetApi } from '../support/http/widget-api.js';
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
}

@Module({
  controllers: [GreetingController],
  providers: [
    { provide: APP_GUARD, useClass: GuardOfApplication },
    { provide: APP_INTERCEPTOR, useClass: OfApplication },
  ],
})
class GreetingModule {}

const serialised: unknown[] = [];
let database: TestDatabase;
let api: RunningApi;
beforeAll(async () => {
  database = await pipelineDatabase();
  api = await startWidgetApi(database.pool, {
    modules: [GreetingModule],
    otherRoutes: (fastify) =>
      fastify.addHook('preSerialization', async (_request, _reply, payload) => {
        serialised.push(payload);
        return { ...(payload as object), secret: 'of a hook' };
      }),
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
