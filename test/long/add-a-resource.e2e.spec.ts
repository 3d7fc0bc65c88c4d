import { comparable } from '../support/how-to/comparable.js';
import { edited, type Step, stepsOf } from '../support/how-to/page.js';
import { type Running, TreeCopy } from '../support/how-to/tree-copy.js';
import { installationPorts } from '../support/processes.js';
import { TYPED_PAGES } from '../tours/typed-pages.js';

jest.setTimeout(3_600_000);

const [PAGE] = TYPED_PAGES.inACopy;
/** The command of the page that does not end by itself. */
const SERVICE = 'npm start';
/** The walks are as short as they can be and still write everything once. */
const SIZES = { SESSION_REQUEST_ROUNDS: '1', SESSION_COMMAND_ROUNDS: '1', SESSION_CORRECTIONS: '20' };

let copy: TreeCopy;
let steps: readonly Step[];
let service: Running | null = null;
/** What the service printed, as the page's requests name it. */
let printed: { readonly API: string; readonly KEY: string };

beforeAll(async () => {
  const { settings } = await installationPorts();
  copy = await TreeCopy.make({ ...SIZES, ...settings });
  steps = stepsOf(await copy.read(PAGE));
});

afterAll(async () => {
  service?.signal('SIGTERM');
  await service?.ended;
  await copy?.remove();
});

function of<Kind extends Step['kind']>(kind: Kind): readonly (Step & { readonly kind: Kind })[] {
  return steps.filter((step): step is Step & { readonly kind: Kind } => step.kind === kind);
}

async function startService(): Promise<void> {
  const started = copy.start(SERVICE);
  service = started;
  const [, api] = await started.untilPrinted(/^ +API +(\S+)$/m);
  const [, key] = await started.untilPrinted(/^ +(svc_live_\S+)$/m);
  printed = { API: api!, KEY: key! };
}

it('names files to write, places to edit, commands to run and requests to send', () => {
  expect([of('file').length, of('edit').length, of('command').length, of('exchange').length].includes(0)).toBe(false);
  expect(of('command').map(({ line }) => line)).toContain(SERVICE);
});

it('makes the resource: its files, its edits, and commands that all succeed', async () => {
  for (const step of steps) {
    if (step.kind === 'file') await copy.write(step.path, step.text);
    if (step.kind === 'edit') await copy.write(step.edit.path, edited(await copy.read(step.edit.path), step.edit));
    if (step.kind !== 'command' || step.line === SERVICE) continue;
    const { exitCode, output } = await copy.run(step.line);
    if (exitCode !== 0) throw new Error(`"${step.line}" ended with ${exitCode}:\n${output}`);
  }
});

it('answers as the page shows, but for ids and times', async () => {
  await startService();
  for (const { command, output } of of('exchange')) {
    const { stdout } = await copy.run(command, printed);
    expect([command, comparable(stdout)]).toEqual([command, comparable(output)]);
  }
});
