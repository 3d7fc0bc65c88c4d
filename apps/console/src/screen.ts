import type { ComponentType } from 'react';
import type { Scope } from './data/client.js';
import type { Namespace } from './languages/start-languages.js';

/** A screen of the console. */
export interface Screen {
  /** Below `/console`, with parameters as `$personId`. */
  readonly path: string;
  /** Its name in "Your role does not let you see …". */
  readonly name: string;
  /** The scopes that it needs. */
  readonly scopes: readonly Scope[];
  /** The namespace of its texts, which load with it; absent if it has none of its own. */
  readonly texts?: Namespace;
  /** Its position in the navigation; null for a screen that others link to. */
  readonly navigation: Navigation | null;
  /** Loads it on first use. */
  readonly load: () => Promise<ComponentType>;
}

/** An entry of the navigation. */
export interface Navigation {
  readonly label: string;
  readonly group: 'People' | 'Time' | 'Records' | 'Connections' | 'Administration';
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number; readonly 'aria-hidden'?: boolean }>;
}
