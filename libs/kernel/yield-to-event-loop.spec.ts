import { yieldToEventLoop } from './yield-to-event-loop.js';

it('lets one caller resume in each turn of the event loop, in the order of calls', async () => {
  let turn = 0;
  let isEnded = false;
  const count = (): void => {
    turn += 1;
    if (!isEnded) setImmediate(count);
  };
  setImmediate(count);
  const steps: { readonly work: string; readonly turn: number }[] = [];
  const work = async (name: string): Promise<void> => {
    for (let step = 0; step < 3; step += 1) {
      await yieldToEventLoop();
      steps.push({ work: name, turn });
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  isEnded = true;
  expect(steps.map((step) => step.work).join('')).toBe('abcabcabc');
  expect(new Set(steps.map((step) => step.turn)).size).toBe(steps.length);
});
