import { type ClientHttp2Session, connect } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { EventStoreNode } from '#configuration/event-store-url.js';

/** For each of the two attempts. */
const ANSWER_MILLISECONDS = 2_000;

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
  const session = connect(`http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`);
  return answerOf(session, (yes) => session.once('remoteSettings', yes));
}

/** Whether the peer answered as it should, in time; the connection is closed in every case. */
async function answerOf(
  connection: TLSSocket | ClientHttp2Session,
  listen: (yes: () => void) => void,
): Promise<boolean> {
  try {
    return await new Promise<boolean>((resolve) => {
      const no = (): void => resolve(false);
      listen(() => resolve(true));
      connection.setTimeout(ANSWER_MILLISECONDS, no);
      connection.on('error', no);
      connection.on('close', no);
    });
  } finally {
    connection.destroy();
  }
}
