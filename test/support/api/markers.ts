/** Where a kind of private text may appear; it is forbidden everywhere else. */
export interface Allowed {
  /** Operations whose answers may contain it, for a key that has their scopes. */
  readonly operations: ReadonlySet<string>;
  /** Scopes that these operations need to show it; empty where they show it by default. */
  readonly scopes: readonly string[];
  readonly tables: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
}

/** A unique private text of one kind. */
export interface Marker {
  readonly kind: string;
  readonly text: string;
}

/**
 * Returns the possible stored forms of a text: plain, escaped, in hexadecimal, and in base64 at every offset.
 */
export function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [text, encodeURIComponent(text), bytes.toString('hex'), ...encoded];
}

/** Finds the kinds of the markers in a text. */
export class MarkerSearch {
  private readonly forms: readonly (readonly [kind: string, form: string])[];

  constructor(markers: readonly Marker[]) {
    this.forms = markers.flatMap(({ kind, text }) =>
      formsOf(text.toLowerCase())
        .concat(formsOf(text))
        .map((form) => [kind, form] as const),
    );
  }

  kindsIn(text: string): readonly string[] {
    const lower = text.toLowerCase();
    return [
      ...new Set(this.forms.filter(([, form]) => text.includes(form) || lower.includes(form)).map(([kind]) => kind)),
    ].sort();
  }
}
