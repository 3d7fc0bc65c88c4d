import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';

/** A public address, unused in the rehearsal, for the receivers of webhooks. */
export const OUTSIDE = '93.184.215.14';
export const OUTSIDE_NAME = 'receiver.example.com';

const ip = (...parameters) => execFileSync('ip', parameters, { stdio: ['ignore', 'ignore', 'inherit'] });

/**
 * The networks of the Compose file as bridges of this network namespace, and a name server that answers as
 * Docker's does.
 */
export class Networks {
  #numbers = new Map();
  #services;
  #networks;
  #sockets = [];

  constructor({ networks, services }) {
    this.#networks = networks;
    this.#services = services;
    Object.keys(networks).forEach((name, index) => this.#numbers.set(name, index + 1));
  }

  async open() {
    ip('link', 'set', 'lo', 'up');
    ip('addr', 'add', `${OUTSIDE}/32`, 'dev', 'lo');
    for (const number of this.#numbers.values()) {
      ip('link', 'add', `br${number}`, 'type', 'bridge');
      ip('addr', 'add', `10.91.${number}.1/24`, 'dev', `br${number}`);
      ip('link', 'set', `br${number}`, 'up');
      await this.#serveNames(`10.91.${number}.1`);
    }
  }

  close() {
    for (const socket of this.#sockets) socket.close();
  }

  /** A service's address in a network, by default the first one. */
  addressOf(service, network = this.#services[service].networks[0]) {
    return `10.91.${this.#numbers.get(network)}.${10 + Object.keys(this.#services).indexOf(service)}`;
  }

  /**
   * Creates the service's own network namespace, connected only to its networks; only a network with external
   * access has a default route.
   */
  join(service) {
    ip('netns', 'add', service);
    const inside = (...parameters) => ip('netns', 'exec', service, 'ip', ...parameters);
    inside('link', 'set', 'lo', 'up');
    for (const [index, network] of this.#services[service].networks.entries()) {
      const number = this.#numbers.get(network);
      const name = `v${number}-${10 + Object.keys(this.#services).indexOf(service)}`;
      ip('link', 'add', name, 'type', 'veth', 'peer', 'name', `eth${index}`, 'netns', service);
      ip('link', 'set', name, 'master', `br${number}`, 'up');
      inside('addr', 'add', `${this.addressOf(service, network)}/24`, 'dev', `eth${index}`);
      inside('link', 'set', `eth${index}`, 'up');
    }
    const out = this.#services[service].networks.find((network) => this.#networks[network].internal !== true);
    if (out !== undefined) inside('route', 'add', 'default', 'via', `10.91.${this.#numbers.get(out)}.1`);
  }

  nameServerOf(service) {
    return `10.91.${this.#numbers.get(this.#services[service].networks[0])}.1`;
  }

  async #serveNames(address) {
    const socket = createSocket('udp4');
    this.#sockets.push(socket);
    socket.on('message', (message, sender) => {
      const { name, type, end } = questionOf(message);
      const found = this.#lookUp(name, sender.address);
      socket.send(answerTo(message.subarray(0, end), found, type === 1), sender.port, sender.address);
    });
    await new Promise((settle) => socket.bind(53, address, settle));
  }

  /** The address of a name; null if the asking service shares no network with it. */
  #lookUp(name, from) {
    const [, number, host] = /^10\.91\.(\d+)\.(\d+)$/.exec(from);
    const asking = this.#services[Object.keys(this.#services)[Number(host) - 10]];
    if (asking === undefined || number === undefined) return null;
    if (name === OUTSIDE_NAME)
      return asking.networks.some((network) => this.#networks[network].internal !== true) ? OUTSIDE : null;
    const shared = this.#services[name]?.networks.find((network) => asking.networks.includes(network));
    return shared === undefined ? null : this.addressOf(name, shared);
  }
}

function questionOf(message) {
  const labels = [];
  let at = 12;
  for (let length = message[at]; length > 0; length = message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question, address, isSelected) {
  const header = Buffer.from(question);
  header.writeUInt16BE(address === null ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address !== null && isSelected ? 1 : 0, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  if (address === null || !isSelected) return header;
  // A record with the name of the question, class IN, and a time to live of one second.
  return Buffer.concat([
    header,
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
  ]);
}
