import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the addresses of a name, of both families; null where it does not exist. `asked`: the number of
 * earlier queries for it.
 */
export type Zone = (name: string, asked: number) => readonly string[] | null;

export interface DnsServer {
  /** Names in the order of the queries, once for each family. */
  readonly questions: readonly string[];
  /** Returns all addresses of a name from this server. Rejects where there are none. */
  readonly resolve: (hostname: string) => Promise<readonly { readonly address: string; readonly family: 4 | 6 }[]>;
  close(): Promise<void>;
}

const HEADER_BYTES = 12;
const TYPES = { 1: 'ipv4', 28: 'ipv6' } as const;

/** Starts a DNS server on a separate port: UDP, queries for A and AAAA, answers that must not be cached. */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const questions: string[] = [];
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = questionOf(message);
    questions.push(name);
    const times = asked.get(`${type} ${name}`) ?? 0;
    asked.set(`${type} ${name}`, times + 1);
    socket.send(answerTo(message.subarray(0, end), type, zone(name, times)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  return {
    questions,
    resolve: async (hostname) => {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length === 0) throw new Error(`${hostname} has no address`);
      return found.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
    },
    close: async () => {
      resolver.cancel();
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** @param question - the message up to the end of its only question */
function answerTo(question: Buffer, type: number, addresses: readonly string[] | null): Buffer {
  const kind = TYPES[type as keyof typeof TYPES];
  const records = (addresses ?? [])
    .map((address) => ipaddr.parse(address))
    .filter((address) => address.kind() === kind);
  const head = Buffer.from(question);
  head.writeUInt16BE(addresses === null ? 0x8183 : 0x8180, 2);
  [1, records.length, 0, 0].forEach((count, index) => head.writeUInt16BE(count, 4 + 2 * index));
  return Buffer.concat([head, ...records.map((address) => recordOf(type, Buffer.from(address.toByteArray())))]);
}

function recordOf(type: number, data: Buffer): Buffer {
  const record = Buffer.alloc(HEADER_BYTES);
  record.writeUInt16BE(0xc00c, 0); // the name of the question
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}
