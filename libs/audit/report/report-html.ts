import { countInWords } from '#kernel/count-in-words.js';
import type { ReportRow } from './report-rows.js';

/** The heading of a report. */
export interface ReportHead {
  readonly title: string;
  /** Name and value of each line: the subject, the period, the creator and the time of the report. */
  readonly lines: readonly (readonly [name: string, value: string])[];
}

const STYLE = `
@page { size: A4 landscape; margin: 14mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
* { box-sizing: border-box; }
body { margin: 2rem; font: 10pt/1.35 system-ui, "DejaVu Sans", sans-serif; color: #111; background: #fff; }
h1 { margin: 0 0 .5rem; font-size: 15pt; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0 0 1rem; }
dt { color: #555; }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: 8pt; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { padding: .25rem .35rem; border: 1px solid #bbb; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { background: #eee; }
.first td { border-top: 1.5px solid #555; }
@media print { body { margin: 0; } th { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;

const HEADINGS = ['Recorded (UTC)', 'Who', 'What', 'Field', 'Value', 'Why', 'Request'];
/** In percent of the table's width. */
const WIDTHS = [11, 15, 20, 12, 18, 11, 13];

/** The beginning of a self-contained page, which loads no external resources, up to the first row. */
export function htmlBeginning({ title, lines }: ReportHead): string {
  const list = lines.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('');
  const columns = WIDTHS.map((width) => `<col style="width:${width}%">`).join('');
  const headings = HEADINGS.map((heading) => `<th scope="col">${heading}</th>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<dl>${list}</dl>
<table>
<colgroup>${columns}</colgroup>
<thead><tr>${headings}</tr></thead>
<tbody>
`;
}

/**
 * Rows of one batch. An event with several fields has several rows; a stronger line separates the first from
 * the previous event.
 */
export function htmlRows(rows: readonly ReportRow[]): string {
  return rows.map((row, index) => htmlRow(row, rows[index - 1]?.event_id !== row.event_id)).join('');
}

/** The end of the page. */
export function htmlEnd(events: number): string {
  return `</tbody>\n</table>\n<p>${countInWords(events, 'event')}.</p>\n</body>\n</html>\n`;
}

function htmlRow(row: ReportRow, isFirst: boolean): string {
  const who = [row.actor_name, `${row.actor_type} ${row.actor_id}`, approverOf(row)]
    .filter((part) => part !== '')
    .join(', ');
  const what = `${row.event} of ${row.subject} ${row.subject_id}`;
  const why = [row.reason, row.supersedes === '' ? '' : `supersedes ${row.supersedes}`]
    .filter((part) => part !== '')
    .join('; ');
  const cells = [
    row.recorded_at.replace('T', ' ').replace('Z', ''),
    who,
    what,
    row.field,
    row.value,
    why,
    row.request_id,
  ];
  return `<tr${isFirst ? ' class="first"' : ''}>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

function approverOf({ approver_type: type, approver_id: id }: ReportRow): string {
  return id === '' ? '' : `approved by ${type} ${id}`;
}
