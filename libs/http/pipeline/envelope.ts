import type { FastifyReply } from 'fastify';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sets status, type and Location of an answer, and returns its body; undefined for a status that has none. */
export function prepareAnswer(reply: FastifyReply, status: number, body: string): string | undefined {
  reply.code(status);
  const createdPath = reply.request.state?.compiled?.createdPath ?? null;
  if (status === 201 && createdPath !== null) reply.header('location', createdPath.replace(/\{\w+\}/, idIn(body)));
  if (status === 204 || status === 304) return undefined;
  reply.header('content-type', JSON_TYPE);
  return body;
}

/** The id of the resource that an answer shows. A stored answer is only text, so it is read from the text of every answer. */
function idIn(body: string): string {
  const { data } = JSON.parse(body) as { readonly data: { readonly id: string } };
  return data.id;
}
