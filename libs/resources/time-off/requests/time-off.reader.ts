import { compileSerialiser } from '#http/fields/serialise.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { KeptPages } from '../../listing/kept-pages.js';
import { KeptTexts, type ListedText, timeOfText } from '../../listing/kept-texts.js';
import { TimeOffResponse } from '../records/time-off.contract.js';
import { listTimeOff, type TimeOffPage, versionsOfTimeOff } from '../records/time-off.queries.js';
import { presentTimeOff } from './time-off.handlers.js';

const write = compileSerialiser(TimeOffResponse);

/** Reads lists of time off as responses show them. One instance for each pool, because it keeps the JSON of records. */
export class TimeOffReader {
  private readonly pages = new KeptPages<Date | LocalDate>();
  private readonly texts = new KeptTexts(timeOfText);

  constructor(private readonly executor: Executor) {}

  /** A page of records, ready to be sent, and the mark up to which a sync that starts now reads. */
  async list(page: TimeOffPage): Promise<readonly ListedText<Date | LocalDate>[]> {
    // A sync asks for what has changed: the texts of that are rarely kept.
    if (page.order === 'change') return this.listWithTexts(page);
    return this.pages.find(this.executor, versionsOfTimeOff(page), (versions) => {
      return this.texts.find(page.organisationId, versions) ?? this.listWithTexts(page);
    });
  }

  private async listWithTexts(page: TimeOffPage): Promise<readonly ListedText<Date | LocalDate>[]> {
    const rows = await listTimeOff(this.executor, page);
    return rows.map((row) => {
      const version = { row: row.version, names: row.names_version ?? 0 };
      const json = this.texts.keep(page.organisationId, row.id, version, write(presentTimeOff(row)));
      return { id: row.id, time: row.time, horizon: row.horizon, json };
    });
  }
}
