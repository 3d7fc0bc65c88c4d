import Fastify, { type FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { answerParent, processorSeconds } from './answer.js';
import { APPEND_EVENT, APPEND_RECEIPT, ONE_ROW, ROW_SCHEMA, SOME_ROWS, type Sample } from './bare-statements.js';

let stop = (): Promise<void> => Promise.resolve();

/** A server that checks nothing: one prepared statement, one serialiser, or one transaction of two inserts. */
async function start({ databaseUrl, connections, sample }: { databaseUrl: string; connections: number; sample: Sample }): Promise<string> {
  const pool = createPool(databaseUrl, { applicationName: 'bench bare', maximum: connections });
  const server = Fastify({ logger: false });
  routeReads(server, pool, sample.organisationId);
  routeWrites(server, pool, sample);
  stop = async () => {
    await server.close();
    await pool.end();
  };
  return server.listen({ host: '127.0.0.1', port: 0 });
}

function routeReads(server: FastifyInstance, pool: Pool, organisationId: string): void {
  const one = { schema: { response: { 200: ROW_SCHEMA } } };
  server.get<{ Params: { id: string } }>('/people/:id', one, async (request) => {
    const { rows } = await pool.query<object>({ name: 'one', text: ONE_ROW, values: [organisationId, request.params.id] });
    return rows[0];
  });
  const many = { schema: { response: { 200: { type: 'array', items: ROW_SCHEMA } } } };
  server.get('/people', many, async () => {
    const { rows } = await pool.query<object>({ name: 'some', text: SOME_ROWS, values: [organisationId, 100] });
    return rows;
  });
}

function routeWrites(server: FastifyInstance, pool: Pool, sample: Sample): void {
  server.patch<{ Params: { id: string }; Body: object }>('/people/:id', async (request, reply) => {
    const connection = await pool.connect();
    try {
      await connection.query('begin');
      await connection.query({ name: 'event', text: APPEND_EVENT, values: [`person-${request.params.id}`, sample.eventId, sample.type, sample.data, sample.metadata] });
      await connection.query({ name: 'receipt', text: APPEND_RECEIPT, values: [request.headers['idempotency-key'], sample.fingerprint, sample.answer] });
      await connection.query('commit');
    } finally {
      connection.release();
    }
    return reply.header('content-type', 'application/json; charset=utf-8').send(sample.answer);
  });
}

answerParent({ start, processorSeconds }, () => stop());
