import type { ApiAnswer } from './http-client.js';

/** Expects this refusal; where a field is given, the details must name it. */
export function expectError(answer: ApiAnswer, status: number, code: string, field?: string): void {
  expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
  if (field !== undefined) expect(answer.json.error.details?.map((detail) => detail.field)).toContain(field);
}
