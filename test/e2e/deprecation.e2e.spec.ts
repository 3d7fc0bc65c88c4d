import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import type { RunningApi } from '#api/listener.js';
import type { Answer, Call } from '#http/call.js';
import { ObjectField, TextField } from '#http/fields.js';
import { openApiDocument } from '#api/openapi/document.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { routeTable } from '#http/operations/route-table.js';
import { addKey, pipelineDatabase, send, startWidgetApi } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

class NestedLegacy {
  @TextField({ example: 'GB', deprecated: { since: '2027-02-01', sunset: '2027-08-01' } })
  readonly code!: string;
}

class LegacyResponse {
  @TextField({ example: 'Ada' })
  readonly name!: string;

  @ObjectField(() => NestedLegacy)
  readonly country!: NestedLegacy;
}

class CurrentResponse {
  @TextField({ example: 'Ada' })
  readonly name!: string;
}

class LegacyQuery {
  @TextField({ example: 'x', optional: true, description: 'A filter.', deprecated: { since: '2027-03-01' } })
  readonly old?: string;
}

const options = (
  operationId: string,
  declared: Pick<OperationOptions, 'query' | 'response' | 'deprecated'>,
): OperationOptions => ({
  operationId,
  summary: operationId,
  description: 'An operation of a test, whatever it does.',
  tags: ['Legacy'],
  scope: null,
  capability: 'legacy.read',
  ...declared,
});

@Controller('legacy')
class LegacyController {
  @Get('operation')
  @Operation(
    options('readOldOperation', {
      response: CurrentResponse,
      deprecated: { since: '2027-01-01', sunset: '2027-07-01' },
    }),
  )
  operation(@Receive() _: Call): Answer {
    return { data: { name: 'Ada' } };
  }

  @Get('field')
  @Operation(options('readOldField', { response: LegacyResponse }))
  field(@Receive() _: Call): Answer {
    return { data: { name: 'Ada', country: { code: 'GB' } } };
  }

  @Get('query')
  @Operation(options('readOldQuery', { query: LegacyQuery, response: CurrentResponse }))
  query(@Receive() _: Call<undefined, LegacyQuery>): Answer {
    return { data: { name: 'Ada' } };
  }

  @Get('current')
  @Operation(options('readCurrent', { response: CurrentResponse }))
  current(@Receive() _: Call): Answer {
    return { data: { name: 'Ada' } };
  }
}

@Module({ controllers: [LegacyController] })
class LegacyModule {}

let database: TestDatabase;
let api: RunningApi;
let key: string;
beforeAll(async () => {
  database = await pipelineDatabase();
  api = await startWidgetApi(database.pool, { modules: [LegacyModule], limits: { publicUrl: 'https://hr.example/' } });
  key = (await addKey(database.pool)).apiKey;
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

it.each([
  ['operation', '@1798761600', 'Thu, 01 Jul 2027 00:00:00 GMT'],
  ['field', '@1801440000', 'Sun, 01 Aug 2027 00:00:00 GMT'],
  ['query', '@1803859200', null],
  ['current', null, null],
])('announces what is deprecated in /legacy/%s by headers, of errors too', async (path, deprecation, sunset) => {
  for (const [with_, status] of [
    [key, 200],
    ['svc_live_wrong', 401],
  ] as const) {
    const answer = await send(api, { path: `/legacy/${path}`, key: with_ });
    expect([answer.status, answer.headers.get('deprecation'), answer.headers.get('sunset')]).toEqual([
      status,
      deprecation,
      sunset,
    ]);
  }
});

it('marks it in the document, whose server is the public address', async () => {
  const document = (await send(api, { path: '/openapi.json' })).json as unknown as {
    readonly servers: readonly { readonly url: string }[];
    readonly paths: Record<string, { get: { deprecated?: true; description: string; parameters: object[] } }>;
    readonly components: { schemas: Record<string, { properties: object }>; headers: object };
  };
  expect(document.servers[0]!.url).toBe('https://hr.example/api/v1');
  expect(document.paths['/legacy/operation']!.get).toMatchObject({
    deprecated: true,
    description: expect.stringContaining('Deprecated since 2027-01-01, may be gone from 2027-07-01.') as string,
    responses: { 200: { headers: { Deprecation: {}, Sunset: {} } } },
  });
  expect(document.paths['/legacy/field']!.get.deprecated).toBeUndefined();
  expect(document.paths['/legacy/query']!.get.parameters).toMatchObject([{ name: 'old', deprecated: true }]);
  expect(document.components.schemas['NestedLegacy']!.properties).toMatchObject({ code: { deprecated: true } });
  expect(document.components.headers).toMatchObject({ Deprecation: {}, Sunset: {} });
  const [current] = routeTable([LegacyModule]).filter(({ operation }) => operation.operationId === 'readCurrent');
  expect(JSON.stringify(openApiDocument([current!]))).not.toMatch(/Deprecation|"deprecated"/);
});
