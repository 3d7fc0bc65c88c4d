import type { Command } from 'commander';
import { CommandError } from './command-error.js';

/** Asks for the organisation that the command is about. */
export function ofOrganisation(command: Command): Command {
  return command.requiredOption('--organisation <organisation>', 'id or subdomain');
}

/** Takes the organisation where the caller names one: the command finds it by the id of its argument otherwise. */
export function withinOrganisation(command: Command): Command {
  return command.option('--organisation <organisation>', 'id or subdomain; found by the id of the delivery where it is left out');
}

/** The text of an option that may be empty: null where it is blank, undefined where it was left out. */
export function textOrNull(option: unknown): string | null | undefined {
  if (option === undefined) return undefined;
  return String(option).trim() === '' ? null : String(option);
}

/** The whole number, from 0, that a text says: not a number where it says none, which the rules refuse in their words. */
export function wholeNumber<Text extends string | null | undefined>(text: Text): number | Exclude<Text, string> {
  if (typeof text !== 'string') return text as Exclude<Text, string>;
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** The whole number of an option; undefined where it was left out. Throws {@link CommandError} where it is none, or out of range. */
export function wholeNumberWithin(flag: string, option: unknown, minimum: number, maximum: number): number | undefined {
  if (option === undefined) return undefined;
  const number = wholeNumber(String(option));
  if (number >= minimum && number <= maximum) return number;
  throw new CommandError(`${flag} must be a whole number from ${minimum} to ${maximum}.`);
}
