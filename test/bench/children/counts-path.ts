/** Asked for by GET at the receiver, so that other processes of the benchmark see what has come: requests by path, as JSON. */
export const COUNTS_PATH = '/counts';
