import { programOfAcme } from '../../test/support/program.js';
import { exitCodeOfSentence } from '../../test/support/exit-codes.js';

const { workforce, json } = programOfAcme();

const WORK_TYPES = ['--dictionary', 'work-types', '--organisation', 'acme'];
const WORK_PLACES = ['--dictionary', 'work-places', '--organisation', 'acme'];

describe('workforce reference', () => {
  it('creates entries, and changes them under ids that stay', async () => {
    const created = await json<{ id: string }>('reference', 'create', ...WORK_TYPES, '--label', 'Full-time');
    expect(created).toEqual({ id: expect.stringMatching(/^wt_/), label: 'Full-time', is_active: true });
    const changed = await json(
      'reference',
      'update',
      created.id,
      ...WORK_TYPES,
      '--label',
      ' Full  time ',
      '--deactivate',
    );
    expect(changed).toEqual({ id: created.id, label: 'Full time', is_active: false });
    expect(await json('reference', 'update', created.id, ...WORK_TYPES, '--reactivate')).toEqual({
      ...changed,
      is_active: true,
    });
    expect(await json('reference', 'create', ...WORK_PLACES, '--label', 'Remote')).toMatchObject({
      id: expect.stringMatching(/^wp_/),
    });
    expect(await json('reference', 'list', ...WORK_TYPES)).toEqual({
      entries: [{ id: created.id, label: 'Full time', is_active: true }],
    });
    const again = await workforce('reference', 'create', ...WORK_TYPES, '--label', 'FULL TIME');
    expect(again).toEqual({ code: 3, stdout: '', stderr: `The entry Full time exists already: ${created.id}.\n` });
    const elsewhere = await workforce('reference', 'update', created.id, ...WORK_PLACES, '--deactivate');
    expect(elsewhere).toEqual({ code: 4, stdout: '', stderr: 'There is no such entry.\n' });
  });

  it.each<[string[], string]>([
    [['reference', 'create', ...WORK_TYPES, '--label', ' '], '--label must not be blank.'],
    [
      ['reference', 'update', 'wt_unknown', ...WORK_TYPES],
      'Nothing to change: name at least one of --label, --deactivate and --reactivate.',
    ],
    [['reference', 'update', 'wt_unknown', ...WORK_TYPES, '--label', 'Other'], 'There is no such entry.'],
    [
      ['reference', 'list', '--dictionary', 'work-types', '--organisation', 'nobody'],
      'There is no organisation nobody: workforce organisations list shows all.',
    ],
  ])('refuses %j with one sentence', async (parameters, sentence) => {
    const { code, stderr } = await workforce(...parameters);
    expect({ code, stderr }).toEqual({ code: exitCodeOfSentence(sentence), stderr: `${sentence}\n` });
  });
});
