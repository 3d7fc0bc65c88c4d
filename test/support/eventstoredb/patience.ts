/**
 * How long calls of tests may take whose subject is not time: the test server shares its process with the
 * test and the machine with other tests, so what takes a tenth of a second may take many seconds there.
 */
export const PATIENCE = { attemptMilliseconds: 120_000, totalMilliseconds: 240_000 };
