import type { FastifyServerOptions } from 'fastify';

/**
 * For servers of Fastify whose routes have no schema: they need not load its compilers, which takes a twentieth of the start. With a
 * route that has one, the server refuses to start.
 */
export const WITHOUT_SCHEMAS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
};

function refuse(): never {
  throw new Error('the routes of this server have no schemas');
}
