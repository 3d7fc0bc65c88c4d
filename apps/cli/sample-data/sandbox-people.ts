import { addDays, type LocalDate } from '#kernel/dates.js';
import type { PostalAddress } from '#organisation/country/postal-address.js';
import type { Absence } from './absences.js';
import type { MadeAdjustment } from './adjustments.js';
import type { Particulars } from './particulars.js';
import {
  ANNUAL_LEAVE,
  CERTIFICATE,
  COMPASSIONATE_LEAVE,
  CONTRACT,
  RIGHT_TO_WORK,
  SICK_LEAVE,
  UNPAID_LEAVE,
} from './policies.js';
import { FULL_TIME_MINUTES } from './demo-person.js';
import type { TimeOffStep } from '#time-off/requests/request-time-off.js';

/** One dated fact after the start, in the order in which it is recorded. */
export type SandboxFact =
  | {
      readonly type: 'change';
      readonly on: LocalDate;
      readonly title?: string;
      readonly minutes?: number;
      readonly manager?: string | null;
    }
  /**
   * `corrects`: which of the person's facts, counted from their start as 0; null: none, but a fact that was
   * missing.
   */
  | {
      readonly type: 'correct';
      readonly on: LocalDate;
      readonly reason: string;
      readonly corrects: number | null;
      readonly title?: string;
      readonly minutes?: number;
    }
  | { readonly type: 'end'; readonly on: LocalDate }
  | { readonly type: 'reactivate'; readonly on: LocalDate; readonly title: string };

/**
 * A synthetic person. docs/reference/sandbox.md says what they are an example of, and so does in the answer
 * of `sandbox show`.
 */
export interface SandboxPerson {
  readonly staffId: string;
  /** Local part of the e-mail address: `ada.sandbox@example.com`. */
  readonly handle: string;
  readonly firstName: string | null;
  readonly preferredName: string | null;
  readonly lastName: string | null;
  /** What an integrator has to handle. */
  readonly example: string;
  readonly startDate: LocalDate | null;
  /** Null terms throughout for a person of whom only the address is known. */
  readonly job: {
    readonly title: string;
    readonly department: string;
    readonly workPlace: string;
    readonly minutes: number;
    readonly manager: string | null;
  } | null;
  readonly facts: readonly SandboxFact[];
  readonly particulars: Particulars;
  readonly absences: readonly Absence[];
  readonly adjustments: readonly MadeAdjustment[];
}

/** Places of work besides those of the demo organisation. */
export const FOREIGN_WORK_PLACES = ['Berlin office', 'New York office', 'Sydney office'] as const;

const NOTHING: Particulars = { profile: null, values: {}, documents: [], mappings: [], hasPicture: false };
const BOSS = 'SBX-0001';
const LEAD = 'SBX-0002';

type Named = readonly [number: number, firstName: string | null, lastName: string | null, example: string];
type Rest = Partial<Omit<SandboxPerson, 'staffId' | 'firstName' | 'lastName' | 'example' | 'job'>> & {
  readonly job?: Partial<NonNullable<SandboxPerson['job']>> | null;
};

function person([number, firstName, lastName, example]: Named, { job = {}, ...rest }: Rest = {}): SandboxPerson {
  const usual = {
    title: 'Software Engineer',
    department: 'Engineering',
    workPlace: 'London office',
    minutes: FULL_TIME_MINUTES,
    manager: LEAD,
  };
  return {
    staffId: `SBX-${String(number).padStart(4, '0')}`,
    handle: `${(firstName ?? 'nobody')
      .normalize('NFD')
      .replace(/[^A-Za-z]/g, '')
      .toLowerCase()}.sandbox`,
    firstName,
    lastName,
    example,
    preferredName: null,
    startDate: '2022-01-10',
    facts: [],
    particulars: NOTHING,
    absences: [],
    adjustments: [],
    ...rest,
    job: job === null ? null : { ...usual, ...job },
  };
}

/**
 * The people of every sandbox. What is over has fixed dates; what is still to come is calculated from the day
 * of the refresh.
 */
export function sandboxPeople(today: LocalDate): readonly SandboxPerson[] {
  return [...leaders(), ...careers(today), ...abroad(), ...absent(today), ...particular(today)];
}

function leaders(): readonly SandboxPerson[] {
  return [
    person([1, 'Ada', 'Lindqvist', 'the head: no manager, and everything that can be known of a person'], {
      preferredName: 'Addie',
      startDate: '2018-01-08',
      job: { title: 'Managing Director', department: 'Business Operations', manager: null },
      particulars: {
        profile: profile('Augusta', '1979-12-10', {
          ...ADDRESS,
          address_line_1: '1 Example Street',
          city: 'London',
          region_state: 'Greater London',
          postal_code: 'SE1 0AA',
          country_code: 'GB',
        }),
        values: {
          desk: '3-01',
          shirt_size: 'm',
          first_aider: true,
          laptop_due: '2027-03-31',
          commute_km: 12.5,
          first_language: 'en',
          payroll_group: 'monthly',
          referred_by: 'nobody',
        },
        documents: [document(CONTRACT, '2018-01-08', null), document(CERTIFICATE, '2019-05-02', null)],
        mappings: [mapping('payroll', 'PAY-0001', 'active'), mapping('identity', 'idp-0001', 'active')],
        hasPicture: true,
      },
    }),
    person([2, 'Ben', 'Okafor', 'a manager of many, head of Engineering'], {
      startDate: '2019-03-04',
      job: { title: 'Engineering Manager', manager: BOSS },
    }),
    person([3, 'Chloé', 'Müller-Søndergård', 'names beyond ASCII, and a preferred name'], {
      preferredName: 'Coco',
      startDate: '2020-09-01',
      job: { workPlace: 'Berlin office' },
    }),
  ];
}

function careers(today: LocalDate): readonly SandboxPerson[] {
  return [
    person([4, 'Dmitri', 'Volkov', 'starts in 30 days'], { startDate: addDays(today, 30) }),
    person([5, 'Esi', 'Mensah', 'left'], { facts: [{ type: 'end', on: '2024-06-28' }] }),
    person([6, 'Farid', 'Haddad', 'leaves: ended, with a final day in 14 days'], {
      facts: [{ type: 'end', on: addDays(today, 14) }],
    }),
    person([7, 'Grace', 'Whitlock', 'left and was hired again'], {
      startDate: '2019-06-03',
      facts: [
        { type: 'end', on: '2022-12-30' },
        { type: 'reactivate', on: '2024-02-05', title: 'Senior Software Engineer' },
      ],
    }),
    person([8, 'Hana', 'Sato', 'left, and is hired again in 45 days'], {
      facts: [
        { type: 'end', on: '2025-03-31' },
        { type: 'reactivate', on: addDays(today, 45), title: 'Staff Engineer' },
      ],
    }),
    person([9, 'Ivan', 'Petrov', 'a promotion that takes effect in 20 days'], {
      facts: [{ type: 'change', on: addDays(today, 20), title: 'Senior Software Engineer' }],
    }),
    person([10, 'Jun', 'Park', 'promoted twice, and a past title corrected'], {
      facts: [
        { type: 'change', on: '2023-04-03', title: 'Senior Software Engineer' },
        { type: 'change', on: '2024-10-07', title: 'Staff Engineer' },
        {
          type: 'correct',
          on: '2023-04-03',
          corrects: 1,
          title: 'Software Engineer II',
          reason: 'The promotion was to another grade',
        },
      ],
    }),
    person([11, 'Kofi', 'Asante', 'a start date that was corrected, and a change that was recorded late'], {
      startDate: '2022-02-01',
      facts: [
        {
          type: 'correct',
          on: '2022-01-17',
          corrects: 0,
          title: 'Software Engineer',
          minutes: FULL_TIME_MINUTES,
          reason: 'Started two weeks earlier',
        },
        {
          type: 'correct',
          on: '2024-05-01',
          corrects: null,
          title: 'Senior Software Engineer',
          reason: 'The promotion was not recorded',
        },
      ],
    }),
    person([12, 'Leila', 'Rahimi', 'part-time, three days a week'], { job: { minutes: 1_350 } }),
    person([13, 'Mateo', 'García', 'from full time to four days a week'], {
      facts: [{ type: 'change', on: '2025-01-06', minutes: 1_800 }],
    }),
    person([14, null, null, 'only an e-mail address: no names, no start date, no terms'], {
      startDate: null,
      job: null,
    }),
  ];
}

function abroad(): readonly SandboxPerson[] {
  return [
    person([15, 'Omar', 'Reyes', 'in New York: five hours behind, an address in the United States'], {
      job: { title: 'Product Manager', department: 'Product', workPlace: 'New York office', manager: BOSS },
      particulars: {
        ...NOTHING,
        profile: profile(null, '1991-07-04', {
          ...ADDRESS,
          address_line_1: '200 Sample Avenue',
          city: 'New York',
          region_state: 'NY',
          postal_code: '10001',
          country_code: 'US',
        }),
      },
    }),
    person([16, 'Priya', 'Nair', 'in Sydney: already tomorrow, an address in Australia'], {
      job: { title: 'Designer', department: 'Design', workPlace: 'Sydney office', manager: 'SBX-0015' },
      particulars: {
        ...NOTHING,
        profile: profile(null, '1988-02-29', {
          ...ADDRESS,
          address_line_1: '5 Placeholder Road',
          city: 'Sydney',
          region_state: 'NSW',
          postal_code: '2000',
          country_code: 'AU',
        }),
      },
    }),
    person([17, 'Quentin', 'Dubois', 'reports to somebody who left'], { job: { manager: 'SBX-0005' } }),
  ];
}

function absent(today: LocalDate): readonly SandboxPerson[] {
  const week = (after: number): Absence['dates'] => whole(mondayBy(addDays(today, after)), 4);
  return [
    person([18, 'Rosa', 'Ferreira', 'time off that waits for approval'], { absences: [off(ANNUAL_LEAVE, week(21))] }),
    person([19, 'Sven', 'Nyström', 'time off that is approved, past and coming'], {
      absences: [off(ANNUAL_LEAVE, whole('2025-07-07', 11), 'approve'), off(ANNUAL_LEAVE, week(35), 'approve')],
    }),
    person([20, 'Tala', 'Reyes', 'time off that was rejected, and some that was cancelled'], {
      absences: [
        off(ANNUAL_LEAVE, whole('2025-08-04', 4), 'reject'),
        off(ANNUAL_LEAVE, whole('2025-09-01', 4), 'approve', 'cancel'),
      ],
    }),
    person([21, 'Uma', 'Patel', 'half days, hours, unpaid days, and illness in the middle of a holiday'], {
      absences: [
        off(ANNUAL_LEAVE, { ...whole('2025-05-13', 0), start_day_part: 'morning', end_day_part: 'morning' }, 'approve'),
        off(
          COMPASSIONATE_LEAVE,
          { ...whole('2025-05-14', 0), start_day_part: 'afternoon', end_day_part: 'afternoon' },
          'approve',
        ),
        off(UNPAID_LEAVE, whole('2025-10-06', 1), 'approve'),
        off(ANNUAL_LEAVE, whole('2025-06-16', 4), 'approve'),
        off(SICK_LEAVE, whole('2025-06-17', 1)),
      ],
    }),
    person([22, 'Viktor', 'Horváth', 'a balance with an adjustment that was taken back'], {
      adjustments: [{ minutes: 900, on: '2025-01-01', reason: 'grant', isReversed: true }],
    }),
  ];
}

function particular(today: LocalDate): readonly SandboxPerson[] {
  return [
    person([23, 'Wren', 'Abbott', 'a balance with a grant, and a few custom fields'], {
      particulars: { ...NOTHING, values: { desk: '2-14', shirt_size: 's', first_aider: false } },
      adjustments: [{ minutes: 450, on: '2025-01-01', reason: 'grant', isReversed: false }],
    }),
    person([24, 'Ximena', 'Ortiz', 'documents: one expired, one that expires in 10 days, one that never does'], {
      particulars: {
        ...NOTHING,
        documents: [
          document(RIGHT_TO_WORK, '2020-01-06', '2025-01-05'),
          document(CERTIFICATE, '2024-01-08', addDays(today, 10)),
          document(CONTRACT, '2022-01-10', null),
        ],
      },
    }),
    person([25, 'Yusuf', 'Demir', 'mapped to providers: one failed, one waits for its first run'], {
      particulars: {
        ...NOTHING,
        mappings: [mapping('payroll', 'PAY-0025', 'error'), mapping('identity', 'idp-0025', 'pending')],
      },
    }),
    person([26, 'Zoë', 'Brandt', 'in Finance, with a picture and without a profile'], {
      job: { title: 'Accountant', department: 'Finance', workPlace: 'Remote', manager: BOSS },
      particulars: { ...NOTHING, hasPicture: true },
    }),
  ];
}

const ADDRESS: Pick<PostalAddress, 'address_line_2' | 'address_line_3'> = {
  address_line_2: null,
  address_line_3: null,
};

function profile(middleNames: string | null, born: LocalDate, home: PostalAddress): Particulars['profile'] {
  return {
    middle_names: middleNames,
    date_of_birth: born,
    personal_email: `${home.city.toLowerCase().replace(/ /g, '.')}@home.example`,
    // Numbers that are kept for fiction, in the United Kingdom.
    personal_phone_number: '+44 7700 900123',
    work_phone_number: '+44 20 7946 0123',
    home_address: home,
  };
}

function document(type: string, issuedOn: LocalDate, expiresOn: LocalDate | null): Particulars['documents'][number] {
  return { type, name: `${type}.pdf`, byteSize: 48_213, issuedOn, expiresOn };
}

function mapping(
  provider: string,
  externalId: string,
  status: 'active' | 'error' | 'pending',
): Particulars['mappings'][number] {
  return {
    provider,
    external_id: externalId,
    status,
    last_synced_at: status === 'pending' ? null : '2025-11-03T02:00:00.000Z',
  };
}

function off(category: string, dates: Absence['dates'], ...steps: readonly TimeOffStep[]): Absence {
  return { category, dates, steps };
}

/** From a day to so many days later. */
function whole(from: LocalDate, more: number): Absence['dates'] {
  return { start_date: from, end_date: addDays(from, more), start_day_part: 'full', end_day_part: 'full' };
}

/** That day, or the next Monday. */
function mondayBy(day: LocalDate): LocalDate {
  return addDays(day, (8 - new Date(`${day}T00:00:00Z`).getUTCDay()) % 7);
}
