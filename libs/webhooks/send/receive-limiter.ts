import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/**
 * The maximum number of bytes that one attempt reads: status lines, interim responses, headers, bodies,
 * trailers and their framing.
 */
export const MAX_ANSWER_BYTES = 64 * 1_024;
/**
 * The maximum number of bytes that one attempt reads below TLS. Each record adds up to 30 bytes, and some
 * messages, such as session tickets and key updates, carry no HTTP at all.
 */
const MAX_ENCRYPTED_BYTES = 2 * MAX_ANSWER_BYTES;
/**
 * Node emits no event for TLS messages without application data, so the limiter polls the counters of TLS
 * connections at this interval.
 */
const POLL_MILLISECONDS = 20;

interface Watched {
  readonly raw: Socket;
  /** The value of `raw.bytesRead` above which the limit is exceeded. */
  readonly most: number;
  readonly onTooMuch: () => void;
}

/**
 * Limits the bytes that are read from receivers: counts all bytes of a connection, whatever they mean, and
 * reports an excess.
 */
export class ReceiveLimiter {
  /** The TCP connection below each TLS connection. */
  private readonly below = new WeakMap<Duplex, Socket>();
  private readonly watched = new Set<Watched>();
  private looking: NodeJS.Timeout | undefined;

  /** Registers the TCP connection below a TLS connection. */
  pair(secure: Duplex, raw: Socket): void {
    this.below.set(secure, raw);
  }

  /** Limits a TLS handshake. Calls `onTooMuch` at most once. Returns a function that stops the limiter. */
  watchHandshake(raw: Socket, onTooMuch: () => void): () => void {
    return this.watchRaw(raw, MAX_ANSWER_BYTES, onTooMuch);
  }

  /**
   * Limits an attempt, from now on. Calls `onTooMuch` at most once, and only after Node's HTTP client has
   * parsed the same bytes, so that a response that begins among them counts. Returns a function that stops
   * the limiter.
   */
  watchAttempt(socket: Duplex, onTooMuch: () => void): () => void {
    return this.watch(socket, MAX_ANSWER_BYTES, MAX_ENCRYPTED_BYTES, onTooMuch);
  }

  /**
   * Limits an idle connection: no byte of HTTP may arrive without a request (RFC 9112, 9.2), and below TLS
   * only such as session tickets.
   */
  watchIdle(socket: Duplex, onTooMuch: () => void): () => void {
    return this.watch(socket, 0, MAX_ANSWER_BYTES, onTooMuch);
  }

  private watch(socket: Duplex, bytes: number, encryptedBytes: number, onTooMuch: () => void): () => void {
    let left = bytes;
    const end = (): void => {
      socket.off('data', count).off('close', end);
      endRaw?.();
    };
    const exceed = (): void => {
      end();
      onTooMuch();
    };
    const count = (data: Buffer): void => {
      left -= data.length;
      if (left < 0) exceed();
    };
    const raw = this.below.get(socket);
    const endRaw = raw === undefined ? null : this.watchRaw(raw, encryptedBytes, exceed);
    socket.on('data', count).once('close', end);
    return end;
  }

  private watchRaw(raw: Socket, bytes: number, onTooMuch: () => void): () => void {
    const watched: Watched = { raw, most: raw.bytesRead + bytes, onTooMuch };
    this.watched.add(watched);
    this.looking ??= setInterval(() => this.look(), POLL_MILLISECONDS).unref();
    return () => this.endRaw(watched);
  }

  private look(): void {
    for (const watched of this.watched) {
      if (watched.raw.bytesRead <= watched.most) continue;
      this.endRaw(watched);
      watched.onTooMuch();
    }
  }

  private endRaw(watched: Watched): void {
    this.watched.delete(watched);
    if (this.watched.size > 0) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }
}
