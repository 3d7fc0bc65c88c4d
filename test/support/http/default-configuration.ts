import type { ApiConfiguration } from '#api/listener.js';
import { readConfiguration } from '#configuration/configuration.js';

/** The configuration of an installation with default limits, and a silent log. */
export const DEFAULT_CONFIGURATION: ApiConfiguration = readConfiguration({ LOG_LEVEL: 'silent' });
