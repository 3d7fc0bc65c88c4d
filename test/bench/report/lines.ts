import { type Comparison, processorOf, type Round } from '../measure/comparison.js';
import { count, type Line, ratioText } from './table.js';

/** A comparison by processor time as a line of the table; the goal is the least ratio. */
export function comparisonLine(what: string, goal: number, { product, bare, processor, throughput }: Comparison, leavesOut: string): Line {
  return {
    what,
    figures: [processor.median],
    ratio: ratioText(processor),
    goal: `≥ ${goal}`,
    isMet: processor.median >= goal,
    product: costText(product),
    bare: costText(bare),
    throughputRatio: ratioText(throughput),
    remarks: `${leavesOut}; ${detailsOf(product, bare, 'bare')}`,
  };
}

/** What a request costs and how many a second there were. */
export function costText(round: Round): string {
  return `${count(processorOf(round))} µs, ${count(round.perSecond)}/s`;
}

/** Processor time by process, latencies, sizes and the generator's own share, of both sides. */
export function detailsOf(one: Round, other: Round, name: string): string {
  const processor = ({ program, postgres }: Round): string => `${count(program)} + ${count(postgres)}`;
  const latency = ({ median, percentile99 }: Round): string => `${median.toFixed(1)}/${percentile99.toFixed(1)}`;
  return [
    `Node.js + PostgreSQL ${processor(one)} µs, ${name} ${processor(other)}`,
    `p50/p99 ${latency(one)} ms, ${name} ${latency(other)}`,
    `${count(one.bytesPerAnswer)} bytes, ${name} ${count(other.bytesPerAnswer)}`,
    `load generator ${count(one.generator)} µs, ${name} ${count(other.generator)}`,
  ].join('; ');
}
