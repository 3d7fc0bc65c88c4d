import { EMAIL_ADDRESS_PATTERN, emailKey, isEmailAddress } from './email-address.js';

it.each([
  'ada@example.com',
  `${'a'.repeat(64)}@example.com`,
  'ada@bücher.example',
  'ada@例え.テスト',
  'ada@xn--bcher-kva.example',
  "o'brien+hr@example.co.uk",
])('%s is an address', (text) =>
  expect([isEmailAddress(text), new RegExp(EMAIL_ADDRESS_PATTERN, 'u').test(text)]).toEqual([true, true]),
);

it.each([
  `${'a'.repeat(65)}@example.com`,
  `ada@${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.example`,
  'ada@bücher',
  'ada@bü cher.example',
  'ada@bü/cher.example',
  'ada@bücher.example:80',
  'ada@-ü-.example',
  'müller@example.com',
  'ada@example',
  'ada@@example.com',
  'ada',
  '@example.com',
  '',
])('%s is not an address', (text) => expect(isEmailAddress(text)).toBe(false));

it.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['Ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
  ['Grüße', 'grüße'],
  ['[erased]', '[erased]'],
])('%s is compared as %s', (address, key) => expect(emailKey(address)).toBe(key));
