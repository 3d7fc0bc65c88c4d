/** The tag of the events in the `webhooks` section. */
export const WEBHOOK_EVENTS_TAG = 'Webhook events';

/** What the operations of each tag are about. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Meta: 'What a key may do, and what the API consists of: operations, fields, scopes, plans and events.',
  People: 'People with their identity and what their employment shows today. A person is created once, ended, and may be rehired.',
  Employment:
    'Terms of employment as dated facts that are never overwritten. The timeline answers as of any day, and as known at any moment.',
  'Custom fields': 'Fields that the organisation defines for its people, and their values.',
  Documents: "Metadata of people's documents. The service stores no files.",
  Organisation: "The organisation's profile and its locations.",
  'Org units': 'The tree of divisions, departments and teams.',
  'Working patterns': 'Cycles of working days, from which the minutes of a week and of time off are counted.',
  'Reference data': 'Lists of ids and labels that other resources refer to.',
  'Time-off set-up': 'Categories, settings and public holidays, which decide how time off is counted and earned.',
  'Time off': 'Requests of time off, and what became of them. The service counts the days.',
  'Time-off balances': 'What a person has earned, taken and left on any day, and adjustments of it.',
  'Provider mappings': 'The ids that other systems use for resources of this one.',
  Webhooks: 'Endpoints that receive events, and their signing secrets.',
  'Webhook deliveries': 'What was sent to an endpoint, every attempt, and sending it again.',
  'Payroll exports': 'What changed for payroll in a window of days, and who is not ready to be paid.',
  Imports: 'CSV files of people, employment history, time off and locations: a dry run, its problems row by row, then the import.',
  'Integration readiness': 'Whether the records are complete enough for an integration, by counts.',
  Sandbox: 'Events and states of the sandbox that tests ask for. Only test keys may call these.',
  [WEBHOOK_EVENTS_TAG]: 'What the service sends to your endpoints. Verify the signature before you parse the body.',
};

/** The page below docs/reference that says more about the operations of a tag, without its extension. */
export const TAG_PAGES: Readonly<Record<string, string>> = {
  Meta: 'http',
  People: 'people-and-employment',
  Employment: 'people-and-employment',
  'Custom fields': 'custom-fields',
  Documents: 'documents-and-mappings',
  Organisation: 'set-up',
  'Org units': 'set-up',
  'Working patterns': 'set-up',
  'Reference data': 'set-up',
  'Time-off set-up': 'time-off-set-up',
  'Time off': 'time-off',
  'Time-off balances': 'balances',
  'Provider mappings': 'documents-and-mappings',
  Webhooks: 'webhooks',
  'Webhook deliveries': 'webhook-deliveries',
  'Payroll exports': 'payroll',
  Imports: 'imports',
  'Integration readiness': 'payroll',
  Sandbox: 'sandbox',
  [WEBHOOK_EVENTS_TAG]: 'webhooks',
};
