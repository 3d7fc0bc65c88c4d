import ical, { ICalEventBusyStatus, ICalEventClass, ICalEventTransparency } from 'ical-generator';
import type { CalendarLanguage } from '#access/user/calendar-links.js';
import { dayAfter, type LocalDate } from '#kernel/dates.js';
import type { Absence } from '#time-off/records/read-absences.js';
import type { Dates } from '#time-off/records/time-off.rules.js';

/** How often calendar programs should read a calendar again. */
const REFRESH_SECONDS = 3_600;

/**
 * Whose time off a calendar shows: the user's own, their team's, or that of a person or an org unit of this
 * name.
 */
export type CalendarOwner = 'oneself' | 'team' | { readonly name: string };

interface Texts {
  readonly timeOff: string;
  readonly team: string;
  readonly titled: (name: string, title: string) => string;
  readonly out: string;
  readonly parts: Readonly<Record<'morning' | 'afternoon' | 'fromAfternoon' | 'untilNoon', string>>;
}

const titled = (name: string, title: string): string => `${name}: ${title}`;

const TEXTS: Readonly<Record<CalendarLanguage, Texts>> = {
  en: {
    timeOff: 'Time off',
    team: 'My team',
    titled,
    out: 'out',
    parts: {
      morning: 'morning',
      afternoon: 'afternoon',
      fromAfternoon: 'first day: afternoon',
      untilNoon: 'last day: morning',
    },
  },
  de: {
    timeOff: 'Abwesenheiten',
    team: 'Mein Team',
    titled,
    out: 'abwesend',
    parts: {
      morning: 'vormittags',
      afternoon: 'nachmittags',
      fromAfternoon: 'erster Tag: nachmittags',
      untilNoon: 'letzter Tag: vormittags',
    },
  },
  fr: {
    timeOff: 'Absences',
    team: 'Mon équipe',
    titled: (name, title) => `${name} : ${title}`,
    out: 'absence',
    parts: {
      morning: 'matin',
      afternoon: 'après-midi',
      fromAfternoon: 'premier jour : après-midi',
      untilNoon: 'dernier jour : matin',
    },
  },
  es: {
    timeOff: 'Ausencias',
    team: 'Mi equipo',
    titled,
    out: 'ausencia',
    parts: {
      morning: 'mañana',
      afternoon: 'tarde',
      fromAfternoon: 'primer día: tarde',
      untilNoon: 'último día: mañana',
    },
  },
};

/**
 * A calendar in the form of RFC 5545 and RFC 7986. The same records make the same text: `DTSTAMP` is the time
 * of the last change, as it is for calendars without a method. Events last whole days, and half days are
 * named in the title: working patterns have minutes a half day, and no hours. Only the user's own calendar
 * shows categories; it alone makes its reader busy, and is private where a program shares it.
 */
export function calendarText(absences: readonly Absence[], owner: CalendarOwner, language: CalendarLanguage): string {
  const texts = TEXTS[language];
  const isOwn = owner === 'oneself';
  const calendar = ical({
    name: isOwn ? texts.timeOff : texts.titled(owner === 'team' ? texts.team : owner.name, texts.timeOff),
    prodId: { company: 'Workforce HR', product: 'Time off', language: language.toUpperCase() },
    ttl: REFRESH_SECONDS,
  });
  for (const absence of absences) {
    calendar.createEvent({
      id: absence.id,
      sequence: absence.changes,
      stamp: absence.updated_at,
      lastModified: absence.updated_at,
      start: midnight(absence.start_date),
      end: midnight(dayAfter(absence.end_date)),
      allDay: true,
      summary: withParts(
        isOwn ? absence.category_label : texts.titled(absence.display_name, texts.out),
        partsOf(absence, texts),
      ),
      transparency: isOwn ? ICalEventTransparency.OPAQUE : ICalEventTransparency.TRANSPARENT,
      busystatus: isOwn ? ICalEventBusyStatus.OOF : ICalEventBusyStatus.FREE,
      ...(isOwn ? { class: ICalEventClass.PRIVATE } : {}),
    });
  }
  return calendar.toString();
}

function partsOf({ start_date, end_date, start_day_part, end_day_part }: Dates, { parts }: Texts): readonly string[] {
  if (start_date === end_date) return start_day_part === 'full' ? [] : [parts[start_day_part]];
  return [
    ...(start_day_part === 'afternoon' ? [parts.fromAfternoon] : []),
    ...(end_day_part === 'morning' ? [parts.untilNoon] : []),
  ];
}

function withParts(title: string, parts: readonly string[]): string {
  return parts.length === 0 ? title : `${title} (${parts.join(', ')})`;
}

/** The library takes the day in UTC of an event without a time zone. */
function midnight(day: LocalDate): Date {
  return new Date(`${day}T00:00:00Z`);
}
