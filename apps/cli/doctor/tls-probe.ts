import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { EventStoreNode } from '#configuration/event-store-url.js';

/** For each of the two attempts. */
const ANSWER_MILLISECONDS = 2_000;

/**
 * How every conversation of HTTP/2 begins (RFC 9113, section 3.4): the preface, then an empty SETTINGS frame.
 */
const BEGINNING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const FRAME_TYPE_OFFSET = 3;
const SETTINGS_FRAME = 4;

/**
 * What a gRPC server listens for: tries a TLS handshake, then HTTP/2 in the clear. `neither`: nothing listens
 * there, it does not answer, or it speaks something else. Sends nothing that is secret and takes any
 * certificate, because nothing else is said over the connection.
 */
export async function protocolOf(node: EventStoreNode): Promise<'tls' | 'plain' | 'neither'> {
  if (await shakesHands(node)) return 'tls';
  return (await speaksPlainly(node)) ? 'plain' : 'neither';
}

/** Opens a connection with TLS that takes any certificate, so that the caller can examine it. */
export function openTls(host: string, port: number, protocols?: string[]): TLSSocket {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const offered = protocols === undefined ? {} : { ALPNProtocols: protocols };
  return connectTls({ host, port, rejectUnauthorized: false, ...offered, ...name });
}

function shakesHands({ address, port }: EventStoreNode): Promise<boolean> {
  const socket = openTls(address, port, ['h2']);
  return answerOf(socket, (yes) => socket.once('secureConnect', yes));
}

function speaksPlainly({ address, port }: EventStoreNode): Promise<boolean> {
  const socket = connect({ host: address, port });
  socket.once('connect', () => socket.write(BEGINNING));
  return answerOf(socket, (yes, no) => {
    let heard = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      heard = Buffer.concat([heard, bytes]);
      if (heard.length <= FRAME_TYPE_OFFSET) return;
      if (heard[FRAME_TYPE_OFFSET] === SETTINGS_FRAME) yes();
      else no();
    });
  });
}

/** Whether the socket's peer answered as it should, in time; it is closed in every case. */
async function answerOf(socket: Socket, listen: (yes: () => void, no: () => void) => void): Promise<boolean> {
  try {
    return await new Promise<boolean>((resolve) => {
      const no = (): void => resolve(false);
      listen(() => resolve(true), no);
      socket.setTimeout(ANSWER_MILLISECONDS, no);
      socket.on('error', no);
      socket.on('close', no);
    });
  } finally {
    socket.destroy();
  }
}
