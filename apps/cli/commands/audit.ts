import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce audit …`: proof that history was not altered, and who changed what. */
export function register(program: Command): void {
  const group = program.command('audit').description('prove that history was not altered, and report who changed what');
  const verify = group
    .command('verify')
    .description('check the hash chain of every stream, and everything that anchors cover; exit code 1 where something is found')
    .option('--organisation <organisation>', 'tell only of this one: id or subdomain')
    .option('--anchor <file>', 'also hold history against anchors that were kept elsewhere: a file of workforce audit anchors export')
    .option('--public-key <key>', 'the key that anchors must be signed with, as it was noted; the one in the database where none is given');
  action(verify, async (call) => (await work()).verify(call));
  action(
    group.command('anchor').description('sign a digest of everything that was recorded since the last one; the worker does it daily'),
    async (call) => (await work()).anchor(call),
  );
  const anchors = group.command('anchors').description('show and export the signed digests');
  action(anchors.command('list').description('list the anchors, and the public key that they are signed with'), async (call) =>
    (await work()).listAll(call),
  );
  action(
    anchors
      .command('export')
      .argument('[file]', 'where to; standard output where none is named')
      .description('write all anchors to a file, to be kept elsewhere'),
    async (call) => (await work()).exportAll(call),
  );
  const report = group
    .command('report')
    .description('report who changed what, when, why and by which request')
    .option('--person <person>', 'of one person: id, work e-mail or staff id')
    .option('--organisation <organisation>', 'of a whole organisation, or where the person is: id or subdomain')
    .option('--from <moment>', 'recorded since: a date, or a date-time with an offset')
    .option('--to <moment>', 'recorded until: a date, that day included, or a date-time, exclusive')
    .option('--format <format>', 'csv or html', 'csv')
    .option('--output <file>', 'where to; standard output where none is named')
    .option('--with-values', 'open sealed personal values where the key exists');
  action(report, async (call) => (await import('../work/audit-report.js')).report(call));
}

function work(): Promise<typeof import('../work/audit.js')> {
  return import('../work/audit.js');
}
