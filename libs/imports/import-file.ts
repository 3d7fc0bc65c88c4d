import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CsvRow } from '#csv-import/csv-rows.js';
import type { ImportReport } from '#csv-import/import-report.js';
import { importLocations } from '#organisation/location/location.api.js';
import { importEmploymentHistory } from '#people/import/history-import.js';
import type { ImportSettings } from '#people/import/import-settings.js';
import { importPeople } from '#people/import/people-import.js';
import { ResourceServices } from '#commands/resource-services.js';
import { importTimeOff } from '#time-off/requests/time-off-import.js';
import { importPayrollMarkers } from '#payroll/marker/payroll-marker.api.js';
import type { FileKind } from './import-files.js';

/** The options of importing, or checking, a file. */
export type FileSettings = Omit<ImportSettings, 'pool' | 'services'>;

/**
 * Records the rows of a file, each as the API would, or checks them. Each row is one command; problems are in
 * the report.
 */
export class ImportFile extends Command<ImportReport> {
  constructor(
    readonly kind: FileKind,
    readonly settings: FileSettings,
    readonly rows: AsyncIterable<CsvRow>,
  ) {
    super();
  }
}

const IMPORTS: Readonly<
  Record<FileKind, (settings: ImportSettings, rows: AsyncIterable<CsvRow>) => Promise<ImportReport>>
> = {
  people: importPeople,
  employment_history: importEmploymentHistory,
  time_off: importTimeOff,
  locations: importLocations,
  payroll_markers: importPayrollMarkers,
};

@CommandHandler(ImportFile)
export class ImportFileHandler implements ICommandHandler<ImportFile> {
  constructor(private readonly services: ResourceServices) {}

  execute({ kind, settings, rows }: ImportFile): Promise<ImportReport> {
    const { services } = this;
    return IMPORTS[kind]({ ...settings, pool: services.executor, services }, rows);
  }
}
