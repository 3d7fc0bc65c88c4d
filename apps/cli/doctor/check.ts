/** The result of one check. */
export interface Finding {
  readonly name: string;
  /** `warning`: the program runs, but a setting or a state is probably unintended. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** A sentence. */
  readonly message: string;
  /** The remedy as a sentence; null if there is nothing to do. */
  readonly advice: string | null;
}

export function ok(name: string, message: string): Finding {
  return { name, status: 'ok', message, advice: null };
}

export function warning(name: string, message: string, advice: string): Finding {
  return { name, status: 'warning', message, advice };
}

export function failed(name: string, message: string, advice: string | null = null): Finding {
  return { name, status: 'failed', message, advice };
}
