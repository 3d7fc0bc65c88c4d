import { ConfigurationError, readConfiguration } from '#configuration/configuration.js';

/** Returns what is wrong with an environment; nothing where the configuration accepts it. */
export function configurationIssues(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfiguration(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.issues;
    throw error;
  }
}
