import { readFileSync } from 'node:fs';
import type { WantedSettings } from '#composition/set-up.js';
import type { NewOrganisation, SetOrganisation } from '#organisation/organisation/organisation.api.js';
import type { Role } from '#kernel/roles.js';
import type { Scope } from '#kernel/scopes.js';
import type { Location } from '#organisation/location/location.js';
import type { NewCustomField } from '#organisation/custom-field/custom-field.api.js';
import type { AbsenceData, AdjustmentData, Job, PersonData } from './person-data.js';
import type { System } from './demo-receiver.js';

/** The code and the head of a unit; people are named by their place in the list, from 1. */
export interface UnitHead {
  readonly unit: string;
  readonly code: string;
  readonly head: number;
}

/** What both organisations have. */
export const SETTINGS = read<
  Omit<WantedSettings, 'locations' | 'workingPatterns' | 'customFields'> & {
    readonly locations: readonly Partial<Location>[];
    /** How many days of each week of the cycle are worked, from Monday on. */
    readonly workingPatterns: readonly { readonly label: string; readonly daysOfWeeks: readonly number[] }[];
    readonly customFields: readonly Partial<NewCustomField>[];
    readonly overdraft: { readonly category: string; readonly minutes: number };
  }
>('settings');

/** What sandboxes have besides; their people are the same everywhere. */
export const SANDBOX = read<{
  readonly locations: readonly Partial<Location>[];
  readonly workPlaces: readonly string[];
  readonly heads: readonly UnitHead[];
  /** What holds of people of whom nothing else is said. */
  readonly usual: Pick<PersonData, 'profile'> & {
    readonly startDate: string;
    readonly job: Job;
    readonly byteSize: number;
  };
  /** With what integrators have to handle: docs/reference/sandbox.md has the same words. */
  readonly people: readonly (PersonData & { readonly example: string })[];
}>('sandbox');

/** The demo organisation. */
export const DEMO = read<{
  readonly organisation: NewOrganisation;
  readonly looks: SetOrganisation['profile'];
  readonly people: { readonly seed: number; readonly count: number; readonly domain: string };
  /** Whose promotion was recorded, and corrected when it had been in force for two weeks. */
  readonly firstToLookAt: readonly [string, string];
  /** The titles of a career in each department; the last one is that of the person who leads it. */
  readonly ladders: Readonly<Record<string, readonly string[]>>;
  readonly heads: readonly UnitHead[];
  /** Who works with the console: the first one, and the managers among them, decide about time off. */
  readonly users: readonly { readonly person: number; readonly role: Role }[];
  /** An import whose check finds problems; the rows name days as `{today+30}`. */
  readonly import: { readonly fileName: string; readonly rows: readonly string[] };
  /** The key of an AI client, and the time off that it proposes. */
  readonly assistant: {
    readonly key: string;
    readonly client: string;
    readonly scopes: readonly Scope[];
    readonly proposals: readonly (AbsenceData & { readonly name: readonly [string, string] })[];
  };
  readonly renamedUnit: { readonly unit: string; readonly name: string; readonly on: string };
  readonly adjustments: readonly (AdjustmentData & { readonly person: number })[];
  readonly absences: readonly AbsenceData[];
  readonly endpoints: readonly {
    readonly system: System;
    readonly name: string;
    readonly events: readonly string[];
    /** The day on which it was made. */
    readonly on: string;
  }[];
  readonly story: readonly PersonData[];
}>('demo');

function read<Data>(name: string): Data {
  return JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), 'utf8')) as Data;
}

const PORTRAITS = 6;

/** A made-up portrait as a PNG: head and shoulders on a colour that the number chooses. */
export function portrait(number: number): Buffer {
  return readFileSync(new URL(`./data/portrait-${number % PORTRAITS}.png`, import.meta.url));
}
