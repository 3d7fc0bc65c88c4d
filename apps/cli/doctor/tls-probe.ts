import { type ClientHttp2Session, connect } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { EventStoreNode } from '#configuration/event-store-url.js';

/** The time limit of each of the two attempts. */
const ANSWER_MILLISECONDS = 2_000;

/**
 * The protocol of a gRPC server: tries a TLS handshake, then HTTP/2 without TLS. `neither`: no server listens
 * or answers, or it uses another protocol. Accepts any certificate, because it sends no secret.
 */
export async function protocolOf(node: EventStoreNode): Promise<'tls' | 'plain' | 'neither'> {
  if (await shakesHands(node)) return 'tls';
  return (await speaksPlainly(node)) ? 'plain' : 'neither';
}

/** Opens a TLS connection that accepts any certificate, so that the caller can examine it. */
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

/** Whether the peer gave the expected answer in time; the connection is closed in every case. */
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
