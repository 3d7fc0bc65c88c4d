import type { Pool } from 'pg';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Installation } from './installation.js';
import type { CommandOf } from './send-as-operator.js';

/** The result of a command. */
export interface Outcome {
  /** The document that `--json` prints; dates in it are written in ISO 8601. */
  readonly json: unknown;
  /** The same for people, without a final line break; empty to print nothing. */
  readonly text: string;
  /** 0 for success, which is the default; 1 where a part of the request failed. */
  readonly exitCode?: number;
}

/** The scope of a parameter's look-up. */
export interface Scope {
  readonly pool: Pool;
  /** The organisation that the command line names; null if it names none. */
  readonly organisation: OrganisationRow | null;
}

/** An argument or an option of a command. `options.ts` makes them. */
export interface Parameter<Value> {
  /** The value of an option in `--help`, such as `<date>`; null for a flag. Of an argument, its name. */
  readonly placeholder: string | null;
  readonly description: string;
  /** The field that it sets, if that has another name. */
  readonly field?: string;
  readonly isRequired?: boolean;
  readonly isRepeated?: boolean;
  readonly choices?: readonly string[];
  /** The value of an option that is left out. */
  readonly default?: string;
  /** The value of an option that is given without one. */
  readonly preset?: string;
  /** The camel-case name of an option that excludes this one. */
  readonly conflicts?: string;
  /** Checks a text before the installation is opened, and returns its value. Throws `UsageError`. */
  readonly parse?: (text: string, name: string) => unknown;
  /** Looks a text up in the open installation. `name` is the flag or the argument of the command line. */
  readonly find?: (scope: Scope, text: string, name: string) => Value | Promise<Value>;
}

/** The parameters of a command by their names in snake_case: `issued_on` is `--issued-on`. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of parameters, under the same names. */
export type Given<Declared extends Parameters> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Parameter<infer Value> ? Value : never;
};

/** The dependencies of a command. */
export interface Context {
  readonly installation: Installation;
  readonly pool: Pool;
  /** Whether standard output belongs to one JSON document. */
  readonly json: boolean;
  /**
   * Sends a command of the user of this process, by default for the organisation of the command line. Throws
   * `CommandError` for a rejection by the domain.
   */
  readonly send: <Result>(
    commandOf: CommandOf<Result>,
    organisation?: { readonly id: string; readonly time_zone: string },
  ) => Promise<Result>;
}

/** The arguments and options of one call of a command. */
export interface Call {
  /** In the order of the command's declaration; an optional one that was left out is undefined. */
  readonly arguments: readonly (string | undefined)[];
  /** Options by their camel-case names, as commander has them; `json` among them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether standard output belongs to one JSON document. */
  readonly json: boolean;
}
