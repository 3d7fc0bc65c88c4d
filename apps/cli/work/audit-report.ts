import { addDays, isLocalDate } from '#kernel/dates.js';
import type { JsonObject } from '#kernel/json.js';
import { csvLine } from '#audit/report/report-csv.js';
import { htmlBeginning, htmlEnd, type ReportHead, htmlRows } from '#audit/report/report-html.js';
import { REPORT_COLUMNS, type ReportQuery, type ReportRow, reportRows } from '#audit/report/report-rows.js';
import { startOfDay } from '#payroll/export/payroll-window.js';
import type { Executor } from '#projections/projection.js';
import type { Call, Outcome } from '../declaration.js';
import { loginName } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { countInWordsWithVerb } from '../count-in-words.js';
import { withInstallation } from '../installation.js';
import { instantFrom } from '../instant.js';
import { ensureWritable, writeOutput } from '../output-file.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

interface Asked {
  readonly query: ReportQuery;
  readonly head: ReportHead;
}

/** `workforce audit report`. */
export async function report({ options, json }: Call): Promise<Outcome> {
  const format = options['format'] as string;
  if (format !== 'csv' && format !== 'html') throw new UsageError('--format takes csv or html.');
  if (options['person'] === undefined && options['organisation'] === undefined)
    throw new UsageError('Name the subject of the report: --person or --organisation.');
  ensureWritable(options['output'] as string | undefined, options);
  return withInstallation(async ({ pool, eventStore }) => {
    const { query, head } = await askedFor(pool, options);
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
    const file = options['output'] as string | undefined;
    if (file === undefined && json)
      return { json: { ...about, rows: rows as unknown as readonly JsonObject[] }, text: '' };
    const text = format === 'csv' ? csvOf(rows) : `${htmlBeginning(head)}${htmlRows(rows)}${htmlEnd(events)}`;
    if (file === undefined) return { json: null, text: text.trimEnd() };
    await writeOutput(file, text);
    return { json: { ...about, file }, text: `${countInWordsWithVerb(events, 'event')} in ${file}.` };
  });
}

function csvOf(rows: readonly ReportRow[]): string {
  return [REPORT_COLUMNS, ...rows.map((row) => REPORT_COLUMNS.map((column) => String(row[column])))]
    .map(csvLine)
    .join('');
}

async function askedFor(executor: Executor, options: Call['options']): Promise<Asked> {
  const named =
    options['organisation'] === undefined
      ? null
      : await requireOrganisation(executor, options['organisation'] as string);
  const person =
    options['person'] === undefined
      ? null
      : await requirePerson(executor, options['person'] as string, named?.id ?? null);
  const organisation = named ?? (await requireOrganisation(executor, person!.organisation_id));
  const [from, to] = [options['from'] as string | undefined, options['to'] as string | undefined];
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
    withValues: options['withValues'] === true,
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
