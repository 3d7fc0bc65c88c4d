import { formatTraceParent, parseTraceParent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`cc-${TRACE}-${SPAN}-01-what-comes`, true],
])('accepts %s', (text, isSampled) => {
  expect(parseTraceParent(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
});

it.each([
  undefined,
  ['00'],
  '',
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}`,
  `cc-${TRACE}-${SPAN}-01-${'a'.repeat(600)}`,
])('returns null for %s', (text) => {
  expect(parseTraceParent(text)).toBeNull();
});

it('parses its own output', () => {
  const text = `00-${TRACE}-${SPAN}-01`;
  expect(formatTraceParent(parseTraceParent(text)!)).toBe(text);
});
