import { processorOf } from '../measure/comparison.js';
import { costText, detailsOf } from '../report/lines.js';
import { count, type Line, ratioText } from '../report/table.js';
import { PREFIX } from '../sides/product.js';
import { Servers } from '../sides/servers.js';
import type { Setting } from './setting.js';

/** At most this ratio of what a read costs as a tool of an AI client to what it costs by REST. */
const GOAL = 1.3;
const PEOPLE = 1_000;
const CONNECTIONS = 16;
const REQUESTS = 2_000;
const WARM_UP = 10_000;

/** What a read of a person costs as a tool (Model Context Protocol), over what the same read costs by REST. */
export async function measureToolReads(setting: Setting): Promise<readonly Line[]> {
  const { rounds, scale } = setting.options;
  setting.say(`Recording ${count(PEOPLE)} people for tools …`);
  const servers = await Servers.open(setting, 'tool_reads', { people: PEOPLE, hasTimeOff: false });
  try {
    const { personIds } = servers.installation;
    const rest = { kind: 'reads', paths: personIds.map((id) => `${PREFIX}/people/${id}`) } as const;
    setting.say('Measuring the tool read_person …');
    const scaled = (number: number): number => Math.max(CONNECTIONS, Math.round(number * scale));
    const plan = { rounds, requests: scaled(REQUESTS), warmUp: scaled(WARM_UP), connections: CONNECTIONS };
    // A comparison divides the second side's time by the first's.
    const compared = await servers.compareProduct(rest, { kind: 'tool-reads', personIds }, plan);
    const { product: read, bare: tool, processor, throughput } = compared;
    return [
      {
        what: 'The tool read_person, over GET /people/{id}',
        figures: [processor.median],
        ratio: ratioText(processor),
        goal: `≤ ${GOAL}`,
        isMet: processor.median <= GOAL,
        product: costText(tool),
        bare: costText(read),
        throughputRatio: ratioText(throughput),
        remarks: `bare: the product by REST; a tool costs ${count(processorOf(tool) - processorOf(read))} µs more; ${detailsOf(tool, read, 'REST')}`,
      },
    ];
  } finally {
    await servers.close();
  }
}
