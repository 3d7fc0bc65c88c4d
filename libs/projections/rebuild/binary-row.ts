import { textArray } from '#database/arrays.js';
import type { BinaryRows } from '#database/binary-rows.js';
import type { Json } from '#kernel/json.js';

/** Writes a value that is not null as a field: its length and its bytes. */
export type FieldEncoder = (out: BinaryRows, value: Exclude<Json, null>) => void;

const MILLISECONDS_A_DAY = 86_400_000;
/** PostgreSQL counts from here. */
const YEAR_2000 = Date.UTC(2000, 0, 1);
const DATE_LENGTH = '2026-01-01'.length;
const ISO_TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const JSONB_VERSION = 1;
const RANGE_FLAGS = { lowerIncluded: 0x02, noLower: 0x08, noUpper: 0x10 };

/** How values become fields, by the type of the column, as `format_type` names it without a precision. */
const ENCODERS: { readonly [type: string]: FieldEncoder } = {
  text: (out, value) => out.text(String(value)),
  json: (out, value) => out.text(jsonText(value)),
  jsonb: (out, value) => out.text(jsonText(value), JSONB_VERSION),
  boolean: (out, value) => {
    if (typeof value !== 'boolean') throw refusal(value, 'a boolean');
    out.int32(1);
    out.byte(value ? 1 : 0);
  },
  integer: (out, value) => {
    if (value !== ((value as number) | 0)) throw refusal(value, 'an integer of 32 bits');
    out.int32(4);
    out.int32(value);
  },
  bigint: bigintField,
  'double precision': (out, value) => {
    if (typeof value !== 'number') throw refusal(value, 'a number');
    out.int32(8);
    out.double(value);
  },
  date: dateField,
  'timestamp with time zone': (out, value) => {
    out.int32(8);
    out.int64((millisecondsOf(value as string) - YEAR_2000) * 1_000);
  },
  daterange: (out, value) => rangeField(out, value as string, dateField, 4),
  int8range: (out, value) => rangeField(out, value as string, bigintField, 8),
  bytea: (out, value) => bytesField(out, (value as string).slice('\\x'.length)),
  uuid: (out, value) => bytesField(out, (value as string).replaceAll('-', '')),
  'text[]': (out, value) => textsField(out, value as readonly string[]),
};

/** The encoder for a type as `format_type` names it. Throws for a type that no read table has. */
export function encoderOf(type: string): FieldEncoder {
  const encoder = ENCODERS[type.replace(/\(\d+\)/, '')];
  if (encoder === undefined) throw new Error(`columns of type ${type} cannot be copied: add an encoder to binary-row.ts`);
  return encoder;
}

/** Text in a column of JSON is JSON already. */
function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function bigintField(out: BinaryRows, value: Json): void {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw refusal(value, 'an integer that a number holds');
  out.int32(8);
  out.int64(number);
}

function dateField(out: BinaryRows, value: Json): void {
  out.int32(4);
  const text = value as string;
  out.int32(text.length === DATE_LENGTH ? daysOf(text) : infiniteDays(text));
}

function infiniteDays(text: string): number {
  return text === 'infinity' ? 2 ** 31 - 1 : checked(text === '-infinity' ? -(2 ** 31) : Number.NaN, text);
}

/** A half-open range as projections write it: `[from,to)`, either end may be missing. */
function rangeField(out: BinaryRows, value: string, bound: FieldEncoder, size: number): void {
  const comma = value.indexOf(',');
  if (value[0] !== '[' || comma === -1 || value.at(-1) !== ')') throw refusal(value, 'a half-open range');
  const from = value.slice(1, comma);
  const to = value.slice(comma + 1, -1);
  out.int32(1 + (from === '' ? 0 : 4 + size) + (to === '' ? 0 : 4 + size));
  out.byte((from === '' ? RANGE_FLAGS.noLower : RANGE_FLAGS.lowerIncluded) | (to === '' ? RANGE_FLAGS.noUpper : 0));
  if (from !== '') bound(out, from);
  if (to !== '') bound(out, to);
}

function bytesField(out: BinaryRows, hex: string): void {
  const bytes = Buffer.from(hex, 'hex');
  out.int32(bytes.length);
  out.raw(bytes);
}

function textsField(out: BinaryRows, texts: readonly string[]): void {
  const array = textArray(texts);
  out.int32(array.length);
  out.raw(array);
}

/** Milliseconds since 1970 of a time in ISO 8601; parsed here in the form in which events have it. */
function millisecondsOf(text: string): number {
  if (text.length !== ISO_TIME_LENGTH || text[ISO_TIME_LENGTH - 1] !== 'Z') return checked(Date.parse(text), text);
  const seconds = (digits(text, 11, 2) * 60 + digits(text, 14, 2)) * 60 + digits(text, 17, 2);
  return checked(YEAR_2000 + daysOf(text) * MILLISECONDS_A_DAY + seconds * 1_000 + digits(text, 20, 3), text);
}

const DAYS_BEFORE_2000 = 730_425;

/** Days from 2000-01-01 to the date with which a text begins, in the Gregorian calendar, for years of four digits. */
function daysOf(text: string): number {
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (text[4] !== '-' || text[7] !== '-' || !(day >= 1 && day <= daysIn(month, digits(text, 0, 4)))) throw refusal(text, 'a date');
  // Years begin in March, so that the leap day is their last.
  const year = digits(text, 0, 4) - (month <= 2 ? 1 : 0);
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const days = year * 365 + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400) + ofYear;
  return checked(days - DAYS_BEFORE_2000, text);
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** 0 where there is no such month. */
function daysIn(month: number, year: number): number {
  const isLeapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (MONTH_LENGTHS[month - 1] ?? 0) + (isLeapDay ? 1 : 0);
}

function digits(text: string, from: number, count: number): number {
  let number = 0;
  for (let index = from; index < from + count; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function checked(number: number, text: string): number {
  if (Number.isNaN(number)) throw refusal(text, 'a date or a time');
  return number;
}

/** What PostgreSQL would refuse as text must not become another value. */
function refusal(value: Json, wanted: string): RangeError {
  return new RangeError(`${JSON.stringify(value)} is not ${wanted}`);
}
