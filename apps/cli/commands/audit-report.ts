import { addDays, isLocalDate } from '#kernel/dates.js';
import type { JsonObject } from '#kernel/json.js';
import { csvLine } from '#audit/report/report-csv.js';
import { htmlBeginning, htmlEnd, type ReportHead, htmlRows } from '#audit/report/report-html.js';
import { REPORT_COLUMNS, type ReportQuery, type ReportRow, reportRows } from '#audit/report/report-rows.js';
import { startOfDay } from '#payroll/export/payroll-window.js';
import type { Executor } from '#projections/projection.js';
import { ownCommand } from '../command.js';
import { loginName } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { countInWordsWithVerb } from '../count-in-words.js';
import { withInstallation } from '../installation.js';
import { instantFrom } from '../instant.js';
import { flag, text, withDefault } from '../options.js';
import { ensureWritable, FORCE, writeOutput } from '../output-file.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

interface Asked {
  readonly query: ReportQuery;
  readonly head: ReportHead;
}

/** What a report is about. */
interface Subject {
  readonly person: string | undefined;
  readonly organisation: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly with_values: boolean;
}

/** `workforce audit report`. */
export const report = ownCommand({
  description: 'report who changed what, when, why and by which request',
  options: {
    force: FORCE,
    person: text('<person>', 'only this person: id, work e-mail or staff id'),
    organisation: text('<organisation>', 'the whole organisation, or the organisation of the person: id or subdomain'),
    from: text('<moment>', 'first moment of recording: a date, or a date-time with an offset'),
    to: text('<moment>', 'end of recording: a date (inclusive), or a date-time with an offset (exclusive)'),
    format: withDefault(text('<format>', 'csv or html', formatOf), 'csv'),
    output: text('<file>', 'file to write (default: standard output)'),
    with_values: flag('decrypt personal values where their key still exists'),
  },
  run: ({ force, format, output: file, ...subject }, json) => {
    if (subject.person === undefined && subject.organisation === undefined)
      throw new UsageError('Name the subject of the report: --person or --organisation.');
    ensureWritable(file, force);
    return withInstallation(async ({ pool, eventStore }) => {
      const { query, head } = await askedFor(pool, subject);
      const rows: ReportRow[] = [];
      for await (const batch of reportRows({ executor: pool, eventStore }, query)) rows.push(...batch);
      const events = new Set(rows.map((row) => row.event_id)).size;
      const about = {
        organisation_id: query.organisationId,
        person_id: query.personId,
        from: query.from?.toISOString() ?? null,
        before: query.before?.toISOString() ?? null,
        events,
      };
      if (file === undefined && json)
        return { json: { ...about, rows: rows as unknown as readonly JsonObject[] }, text: '' };
      const text = format === 'csv' ? csvOf(rows) : `${htmlBeginning(head)}${htmlRows(rows)}${htmlEnd(events)}`;
      if (file === undefined) return { json: null, text: text.trimEnd() };
      await writeOutput(file, text);
      return { json: { ...about, file }, text: `${countInWordsWithVerb(events, 'event')} in ${file}.` };
    });
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

async function askedFor(
  executor: Executor,
  { person: about, organisation: within, from, to, with_values: withValues }: Subject,
): Promise<Asked> {
  const named = within === undefined ? null : await requireOrganisation(executor, within);
  const person = about === undefined ? null : await requirePerson(executor, about, named?.id ?? null);
  const organisation = named ?? (await requireOrganisation(executor, person!.organisation_id));
  const query = {
    organisationId: organisation.id,
    personId: person?.person_id ?? null,
    from: from === undefined ? null : instantFrom('--from', from, organisation.time_zone),
    before:
      to === undefined
        ? null
        : isLocalDate(to)
          ? startOfDay(addDays(to, 1), organisation.time_zone)
          : instantFrom('--to', to, organisation.time_zone),
    withValues,
  };
  const lines: [string, string][] = [
    ['Organisation', `${organisation.name} (${organisation.id})`],
    ...(person === null
      ? []
      : [
          ['Person', query.withValues ? `${person.display_name} (${person.person_id})` : person.person_id] as [
            string,
            string,
          ],
        ]),
    ['Recorded from', from ?? 'the beginning'],
    ['to', to ?? 'now'],
    ['Days in', organisation.time_zone],
    ['Personal values', query.withValues ? 'decrypted where the key exists' : 'encrypted'],
    ['Made', `${new Date().toISOString()} by ${loginName()}`],
  ];
  return { query, head: { title: 'Who changed what', lines } };
}
