import type { Command } from 'commander';
import { action } from '../command.js';
import { withForce } from '../output-file.js';

/** `workforce audit …`: proof that history was not altered, and who changed what. */
export function register(program: Command): void {
  const group = program.command('audit').description('prove that history was not altered, and report who changed what');
  const verify = group
    .command('verify')
    .description(
      'verify the hash chain of every stream, and everything that anchors cover; exit code 1 if there are findings',
    )
    .option('--organisation <organisation>', 'report only this organisation: id or subdomain')
    .option(
      '--anchor <file>',
      'also compare history with anchors kept elsewhere: a file that workforce audit anchors export wrote',
    )
    .option(
      '--public-key <key>',
      'the public key that anchors must be signed with, from your own records (default: the key in the database)',
    );
  action(verify, async (call) => (await work()).verify(call));
  action(
    group
      .command('anchor')
      .description('sign a digest of all events since the last anchor; the worker also does this daily'),
    async (call) => (await work()).anchor(call),
  );
  const anchors = group.command('anchors').description('show and export the signed digests');
  action(anchors.command('list').description('list the anchors and the public key that verifies them'), async (call) =>
    (await work()).listAll(call),
  );
  action(
    withForce(anchors.command('export'))
      .argument('[file]', 'file to write (default: standard output)')
      .description('write all anchors to a file, which you keep outside this installation'),
    async (call) => (await work()).exportAll(call),
  );
  const report = withForce(group.command('report'))
    .description('report who changed what, when, why and by which request')
    .option('--person <person>', 'only this person: id, work e-mail or staff id')
    .option(
      '--organisation <organisation>',
      'the whole organisation, or the organisation of the person: id or subdomain',
    )
    .option('--from <moment>', 'first moment of recording: a date, or a date-time with an offset')
    .option('--to <moment>', 'end of recording: a date (inclusive), or a date-time with an offset (exclusive)')
    .option('--format <format>', 'csv or html', 'csv')
    .option('--output <file>', 'file to write (default: standard output)')
    .option('--with-values', 'decrypt personal values where their key still exists');
  action(report, async (call) => (await import('../work/audit-report.js')).report(call));
}

function work(): Promise<typeof import('../work/audit.js')> {
  return import('../work/audit.js');
}
