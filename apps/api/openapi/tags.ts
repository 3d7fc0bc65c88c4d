/** The tag of the events in the `webhooks` section. */
export const WEBHOOK_EVENTS_TAG = 'Webhook events';

/**
 * By tag: the page below docs/reference about its operations, without extension, and a description of them.
 */
export const TAGS: Readonly<Record<string, readonly [page: string, description: string]>> = {
  Meta: ['http', 'What a key may do, and what the API consists of: operations, fields, scopes, plans and events.'],
  People: [
    'people-and-employment',
    'People with their identity and what their employment shows today. A person is created once, ended, and may ' +
      'be rehired.',
  ],
  Employment: [
    'people-and-employment',
    'Terms of employment as dated facts that are never overwritten. The timeline answers as of any day, and as ' +
      'known at any moment.',
  ],
  'Custom fields': ['custom-fields', 'Fields that the organisation defines for its people, and their values.'],
  Documents: ['documents-and-mappings', "Metadata of people's documents. The service stores no files."],
  Organisation: ['set-up', "The organisation's profile and its locations."],
  'Org units': ['set-up', 'The tree of divisions, departments and teams.'],
  'Working patterns': [
    'set-up',
    'Cycles of working days, from which the minutes of a week and of time off are calculated.',
  ],
  'Reference data': ['set-up', 'Lists of ids and labels that other resources refer to.'],
  'Time-off set-up': [
    'time-off-set-up',
    'Categories, settings and public holidays, which determine how time off is calculated and earned.',
  ],
  'Time off': ['time-off', 'Requests of time off and their decisions. The service calculates the days.'],
  'Time-off balances': [
    'balances',
    'The time off that a person has earned, taken and left on any day, and adjustments of it.',
  ],
  'Provider mappings': ['documents-and-mappings', 'The ids that other systems use for resources of this service.'],
  Webhooks: ['webhooks', 'Endpoints that receive events, and their signing secrets.'],
  'Webhook deliveries': ['webhook-deliveries', 'Deliveries to an endpoint, their attempts, and redelivery.'],
  'Payroll exports': ['payroll', 'Changes for payroll in a window of days, and people who are not ready for payroll.'],
  Imports: [
    'imports',
    'CSV files of people, employment history, time off and locations: a dry run, its problems row by row, then ' +
      'the import.',
  ],
  'Integration readiness': ['payroll', 'Whether the records are complete enough for an integration, by counts.'],
  'API keys': ['access', 'Keys of the organisation: their scopes, and whether they are still valid.'],
  Users: ['access', 'The people who sign in to the console, and their roles.'],
  Requests: ['access', 'The requests of the last 7 days by their ids, without content.'],
  Sandbox: [
    'sandbox',
    'Events and states of the sandbox that tests request. Only test keys may call these operations.',
  ],
  [WEBHOOK_EVENTS_TAG]: [
    'webhooks',
    'Events that the service sends to your endpoints. Verify the signature before you parse the body.',
  ],
};
