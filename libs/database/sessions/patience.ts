/** How long a connection may take to open during such work, in milliseconds. */
export const PATIENT_CONNECT_MILLISECONDS = 60_000;

let patient = 0;

/**
 * Runs a piece of work during which this process neither ends nor gives up a session that is silent: a start on a busy machine may take minutes,
 * and all of its sessions then answer late, or are late to ask. Limits hold again for every session when it has ended.
 */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  patient += 1;
  try {
    return await work();
  } finally {
    patient -= 1;
  }
}

/** Whether such work is in progress. */
export function isPatient(): boolean {
  return patient > 0;
}
