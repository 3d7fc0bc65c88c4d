import { addDays, isLocalDate } from '#kernel/dates.js';
import { csvLine } from '#audit/report/report-csv.js';
import { htmlBeginning, htmlEnd, htmlRows } from '#audit/report/report-html.js';
import { REPORT_COLUMNS, type ReportRow, reportRows } from '#audit/report/report-rows.js';
import { startOfDay } from '#payroll/export/payroll-window.js';
import { command } from '../command.js';
import { loginName } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { countInWordsWithVerb } from '#kernel/count-in-words.js';
import { instantFrom } from '../instant.js';
import { flag, organisation, person, text, withDefault } from '../options.js';
import { ensureWritable, FORCE, writeOutput } from '../output-file.js';
import { requireOrganisation } from '../find-named.js';

/** `workforce audit report`. */
export const report = command({
  description: 'report who changed what, when, why and by which request',
  options: {
    force: FORCE,
    person: person('only this person: id, work e-mail or staff id'),
    organisation: organisation('the whole organisation, or the organisation of the person: id or subdomain'),
    from: text('<time>', 'earliest recorded time, inclusive: a date, or a date-time with an offset'),
    to: text('<time>', 'end of the recorded times: a date (inclusive), or a date-time with an offset (exclusive)'),
    format: withDefault(text('<format>', 'csv or html', formatOf), 'csv'),
    output: text('<file>', 'file to write (default: standard output)'),
    with_values: flag('decrypt personal values where their key still exists'),
  },
  check: (given) => {
    if (given.person === undefined && given.organisation === undefined)
      throw new UsageError('Name the subject of the report: --person or --organisation.');
    ensureWritable(given.output as string | undefined, given.force === true);
  },
  run: async (given, { installation: { eventStore }, pool, json }) => {
    const { person: about, from, to, format, output: file, with_values: withValues } = given;
    const {
      id,
      name,
      time_zone: zone,
    } = given.organisation ?? (await requireOrganisation(pool, about!.organisation_id));
    const query = {
      organisationId: id,
      personId: about?.person_id ?? null,
      from: from === undefined ? null : instantFrom('--from', from, zone),
      before:
        to === undefined ? null : isLocalDate(to) ? startOfDay(addDays(to, 1), zone) : instantFrom('--to', to, zone),
      withValues,
    };
    const rows: ReportRow[] = [];
    for await (const batch of reportRows({ executor: pool, eventStore }, query)) rows.push(...batch);
    const events = new Set(rows.map((row) => row.event_id)).size;
    const head = {
      organisation_id: id,
      person_id: query.personId,
      from: query.from?.toISOString() ?? null,
      before: query.before?.toISOString() ?? null,
      events,
    };
    if (file === undefined && json) return { json: { ...head, rows }, text: '' };
    const lines: (readonly [string, string])[] = [
      ['Organisation', `${name} (${id})`],
      ...(about === undefined
        ? []
        : [['Person', withValues ? `${about.display_name} (${about.person_id})` : about.person_id] as const]),
      ['Recorded from', from ?? 'the beginning'],
      ['to', to ?? 'now'],
      ['Days in', zone],
      ['Personal values', withValues ? 'decrypted where the key exists' : 'encrypted'],
      ['Made', `${new Date().toISOString()} by ${loginName()}`],
    ];
    const html = (): string =>
      `${htmlBeginning({ title: 'Who changed what', lines })}${htmlRows(rows)}${htmlEnd(events)}`;
    const written = format === 'csv' ? csvOf(rows) : html();
    if (file === undefined) return { json: null, text: written.trimEnd() };
    await writeOutput(file, written);
    return { json: { ...head, file }, text: `${countInWordsWithVerb(events, 'event')} in ${file}.` };
  },
});

function formatOf(given: string): 'csv' | 'html' {
  if (given === 'csv' || given === 'html') return given;
  throw new UsageError('--format takes csv or html.');
}

function csvOf(rows: readonly ReportRow[]): string {
  return [REPORT_COLUMNS, ...rows.map((row) => REPORT_COLUMNS.map((column) => String(row[column])))]
    .map(csvLine)
    .join('');
}
