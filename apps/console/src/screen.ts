import type { ComponentType } from 'react';
import type { Scope } from './data/client.js';

/** A screen of the console. */
export interface Screen {
  /** Below `/console`, with parameters as `$personId`. */
  readonly path: string;
  /** What it is called where it is not permitted: "Your role does not let you see …". */
  readonly name: string;
  /** The scopes without which it shows nothing. */
  readonly scopes: readonly Scope[];
  /** Its place in the navigation; null for a screen that others lead to. */
  readonly navigation: Navigation | null;
  /** Loads it when it is first shown. */
  readonly load: () => Promise<ComponentType>;
}

/** An entry of the navigation. */
export interface Navigation {
  readonly label: string;
  readonly group: 'People' | 'Time' | 'Records' | 'Connections' | 'Administration';
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number; readonly 'aria-hidden'?: boolean }>;
}
