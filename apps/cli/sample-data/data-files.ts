import { readFileSync } from 'node:fs';
import type { RequestedSettings } from '#composition/set-up.js';
import type { NewOrganisation, SetOrganisation } from '#organisation/organisation/organisation.api.js';
import type { Role } from '#kernel/roles.js';
import type { Scope } from '#kernel/scopes.js';
import type { Location } from '#organisation/location/location.js';
import type { NewCustomField } from '#organisation/custom-field/custom-field.api.js';
import type { PostalAddress } from '#organisation/country/postal-address.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import type {
  AbsenceData,
  AdjustmentData,
  Career,
  Job,
  Particulars,
  SampleDocument,
  SampleMapping,
} from './person-data.js';

/** The code and the head of a unit; people are identified by their position in the list, from 1. */
export interface UnitHead {
  readonly unit: string;
  readonly code: string;
  readonly head: number;
}

/** The settings of the demo and of every sandbox. */
export const SETTINGS = read<
  Omit<RequestedSettings, 'locations' | 'workingPatterns' | 'customFields'> & {
    readonly locations: readonly Partial<Location>[];
    /** The number of working days in each week of the cycle, from Monday on. */
    readonly workingPatterns: readonly { readonly label: string; readonly daysOfWeeks: readonly number[] }[];
    readonly customFields: readonly Partial<NewCustomField>[];
    readonly overdraft: { readonly category: string; readonly minutes: number };
  }
>('settings');

/** The further data of every sandbox; the people of all sandboxes are the same. */
export const SANDBOX = read<{
  readonly locations: readonly Partial<Location>[];
  readonly workPlaces: readonly string[];
  readonly heads: readonly UnitHead[];
  /** The default data of people, their documents and mappings. */
  readonly usual: {
    readonly startDate: string;
    readonly job: Job;
    readonly profile: Partial<PersonalProfile>;
    readonly document: { readonly byte_size: number; readonly expires_on: null };
    readonly mapping: { readonly status: 'active'; readonly last_synced_at: string };
  };
  readonly people: readonly SandboxPerson[];
}>('sandbox');

/** A person of every sandbox. */
interface SandboxPerson extends Partial<Omit<Career, 'job'>> {
  readonly name: readonly [first: string | null, last: string | null];
  /** The case that integrators have to handle: docs/reference/sandbox.md has the same text. */
  readonly example: string;
  readonly preferredName?: string;
  readonly job?: Partial<Job> | null;
  readonly profile?: Omit<Partial<PersonalProfile>, 'home_address'> & { readonly home_address: Partial<PostalAddress> };
  readonly values?: NonNullable<Particulars['values']>;
  readonly documents?: readonly (Pick<SampleDocument, 'type' | 'issued_on'> & Partial<SampleDocument>)[];
  readonly mappings?: readonly (Pick<SampleMapping, 'provider_name' | 'external_id'> & Partial<SampleMapping>)[];
  readonly picture?: number;
  readonly absences?: readonly AbsenceData[];
  readonly adjustments?: readonly AdjustmentData[];
}

/** The demo organisation; days are in braces for `withDays`, except those of time off. */
export const DEMO = read<{
  readonly organisation: NewOrganisation;
  readonly looks: SetOrganisation['profile'];
  readonly people: { readonly seed: number; readonly count: number; readonly domain: string };
  /** The person whose promotion was corrected after two weeks: the first example of the demo. */
  readonly firstToLookAt: readonly [string, string];
  /** The titles of a career in each department; the last one is that of the person who leads it. */
  readonly ladders: Readonly<Record<string, readonly string[]>>;
  readonly heads: readonly UnitHead[];
  /** The users of the console: the first one, and the managers among them, decide about time off. */
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
    /** The name of the system as which the receiver answers. */
    readonly system: string;
    readonly name: string;
    readonly events: readonly string[];
    /** The day on which it was created. */
    readonly on: string;
  }[];
  /** People with further terms that follow from the department. */
  readonly story: readonly (Career & {
    readonly name: readonly [first: string, last: string];
    readonly job: Pick<Job, 'title' | 'department'>;
  })[];
}>('demo');

function read<Data>(name: string): Data {
  return JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), 'utf8')) as Data;
}

const PORTRAITS = 6;

/** A made-up portrait as a PNG: head and shoulders on a colour that the number chooses. */
export function portrait(number: number): Buffer {
  return readFileSync(new URL(`./data/portrait-${number % PORTRAITS}.png`, import.meta.url));
}
