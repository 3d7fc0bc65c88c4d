import type { CustomTypeOptions } from 'i18next';
import type { ComponentType } from 'react';
import type { Scope } from './data/client.js';
import { seesByRelation, type Session } from './data/session.js';
import type { Namespace } from './languages/start-languages.js';

type RoleByRelation = 'employee' | 'manager';
type ShellTexts = CustomTypeOptions['resources']['shell'];

/** The key of a screen's name. */
export type ScreenName = keyof ShellTexts['names'];

/** A screen of the console. */
export interface Screen {
  /** Below `/console`, with parameters as `$personId`. */
  readonly path: string;
  /** Its name in "Your role does not let you see …": a key of `names` in the texts of the shell. */
  readonly name: ScreenName;
  /** The scopes that it needs. */
  readonly scopes: readonly Scope[];
  /**
   * The roles that see people by relation, for their screens; absent for the screens of the other roles.
   * `all`: for every role.
   */
  readonly roles?: readonly RoleByRelation[] | 'all';
  /** The namespaces of its texts, which load with it; absent if it has none. */
  readonly texts?: readonly Namespace[];
  /** Its position in the navigation; null for a screen that others link to. */
  readonly navigation: Navigation | null;
  /** A key of `labels` in the texts of the shell: lists a screen outside the navigation in the palette. */
  readonly label?: keyof ShellTexts['labels'];
  /** Loads it on first use. */
  readonly load: () => Promise<ComponentType>;
}

/** Whether a user may open a screen: the role is one of those that it is for, and has its scopes. */
export function mayOpen({ role, scopes }: Pick<Session, 'role' | 'scopes'>, screen: Screen): boolean {
  const { roles } = screen;
  const isForRole =
    roles === undefined ? !seesByRelation({ role }) : roles === 'all' || (roles as readonly string[]).includes(role);
  return isForRole && screen.scopes.every((scope) => scopes.includes(scope));
}

/** An entry of the navigation. */
export interface Navigation {
  /** A key of `labels` in the texts of the shell. */
  readonly label: keyof ShellTexts['labels'];
  /** A key of `groups` in the texts of the shell. */
  readonly group: keyof ShellTexts['groups'];
  readonly icon: ComponentType<{ readonly size?: number; readonly stroke?: number; readonly 'aria-hidden'?: boolean }>;
}
