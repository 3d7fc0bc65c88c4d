import type { ApiConfiguration } from '#api/listener.js';
import { readConfiguration } from '#configuration/configuration.js';

/** The limits of an installation that sets none, and a log that says nothing. */
export const DEFAULT_CONFIGURATION: ApiConfiguration = readConfiguration({ LOG_LEVEL: 'silent' });
