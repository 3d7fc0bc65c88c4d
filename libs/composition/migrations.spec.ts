import { checksumOf } from '#database/migrations.js';
import { MIGRATIONS } from './migrations.js';

/**
 * The checksums of steps whose text is final. A baseline that differs here was changed by a schema text of a
 * resource or of the foundation, or by the order of resources that declare one: undo that, and write a new
 * step in `migrations` of the resource.
 */
const FINAL: Readonly<Record<string, string>> = {
  baseline: 'd9bddc7fe0c438f16c65ee172c17a0808c2f9ff02ebd949d8a9232a8044707d7',
  'write proposals': 'bf3427cdf6478b92a0769e16d88da7fa9e420776d907db1c22796bc16c5ccbec',
  'policies of AI clients': '25d54c1002f1aab8555519857d946a1e534be48de2f5c8fef4fabbde8471b4b8',
  'approvers of facts': '20f369412d67005173a2235bbe0ffbe7ddd15602e2add5c0c531b6b6db0c54d4',
  'batches of writes': '18aea47bc67789967fc01ce1d6f6a683bb3b3e1b5483c0e3836c45f213b861bf',
  'beliefs without an exclusion constraint': '0244e415c8da9ea6a8fa105cef831c6385f79c239cbf075c6184946118ee7469',
  'users and their sessions': '179a9696de5385c36beab70d806b88a942074bf11a19a46aca8bfa3b3eb24b73',
  'names of time-off categories': 'dc5193969a793c6c7e65aa6f79f4462dcc4887e858e9c65659f43ead8707a42e',
  'search of people': '227adffada3995d0b3711fc766c7864959c1eb65b6cf0915af06f17a1e658550',
  'imports and requested rebuilds': '6f2035bb7dea67810782d2c64a6f498af1b5a175f1fb3f3f7ea688fd51732d70',
  'log of requests': '0e167691e11debb8fa4d3cd1c6338b1e7ee830853caba9094dac2da64402f83d',
  'conditions of batches': '3605a4402e2f2ce7c057715071416b4dab5181f0ae1d9b9a2d441a832d6b4023',
  activity: '381dfc4a09ff45670a8119a0ee85365cd5bb0277a2c4fc3198c7c7a430e7f93c',
  'spelling of names': 'ae5890dd92e3495d9cedde38150b8f41f6169b4aa8c78f7df9217993a74e63d9',
  'verifications of history': '15cc2041cb39c1c62e8d4762eff040b22dcd1c5a49e555cb952d0d391544239b',
  'beginning of writes': '82b51ef4b8c0a4bacf4fd98abef6a881128e6b8d44094b9c698bf8669bb5ed5a',
};

it('final steps never change', () => {
  const steps = Object.fromEntries(MIGRATIONS.map((step) => [step.name, checksumOf(step)]));
  expect(steps).toMatchObject(FINAL);
});

it('steps are numbered from 1 without gaps', () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});
