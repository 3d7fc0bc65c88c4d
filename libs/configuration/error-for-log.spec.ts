import { errorForLog } from './error-for-log.js';

/** An error as the database's driver throws it. */
function databaseError(code: string, message: string): Error {
  return Object.assign(new Error(message), {
    name: 'DatabaseError',
    code,
    detail: 'Failing row contains (Lovelace).',
    where: 'COPY people, line 1: "Lovelace"',
  });
}

describe('an error in the log', () => {
  it('has its type, message and stack, and nothing of the row that the database quotes', () => {
    const logged = errorForLog(databaseError('23514', 'new row violates check constraint "narrow"'));
    expect(logged).toMatchObject({
      type: 'DatabaseError',
      code: '23514',
      message: 'new row violates check constraint "narrow"',
    });
    expect(logged.stack![0]).toMatch(/^at databaseError /);
    expect(JSON.stringify(logged)).not.toContain('Lovelace');
  });

  it('has no message if that quotes unreadable text, nor do its causes', () => {
    const unreadable = databaseError('22P02', 'invalid input syntax for type date: "Lovelace"');
    const unparsed = (() => {
      try {
        return JSON.parse('Lovelace') as never;
      } catch (error) {
        return error as Error;
      }
    })();
    expect(unparsed.message).toContain('Lovelace');
    for (const cause of [unreadable, unparsed]) {
      const logged = errorForLog(new Error('projecting failed', { cause }));
      expect(logged).toMatchObject({ message: 'projecting failed', cause: { type: cause.name } });
      expect(JSON.stringify(logged)).not.toContain('Lovelace');
    }
  });

  it('has the type alone if the value is not an Error, and ends where causes form a circle', () => {
    expect(errorForLog('Lovelace')).toEqual({ type: 'string' });
    const circle = new Error('round');
    circle.cause = circle;
    expect(JSON.stringify(errorForLog(circle)).match(/round/g)!.length).toBeLessThan(20);
  });
});
