/** Where a kind of private text may be read; everywhere else it may not. */
export interface Allowed {
  /** Operations whose answers show it, to a key that has their scopes. */
  readonly operations: ReadonlySet<string>;
  /** Scopes without which none of them does; none where it is shown by default. */
  readonly scopes: readonly string[];
  readonly tables: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
}

/** A private text of one kind, like no other. */
export interface Marker {
  readonly kind: string;
  readonly text: string;
}

/** The text as it could rest: as it is, escaped, in hexadecimal, and in base64 wherever it begins. */
export function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [text, encodeURIComponent(text), bytes.toString('hex'), ...encoded];
}

/** The kinds of those that are in a text. */
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
    return [...new Set(this.forms.filter(([, form]) => text.includes(form) || lower.includes(form)).map(([kind]) => kind))].sort();
  }
}
