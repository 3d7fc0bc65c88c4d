import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** What is read of a receiver in one attempt, in bytes: status lines, interim answers, headers, bodies, trailers and what frames them. */
export const MAXIMUM_ANSWER_BYTES = 64 * 1_024;
/**
 * The same below TLS, in bytes. Records cost up to 30 bytes each, and some, such as session tickets and key updates, never become
 * a byte of HTTP.
 */
const MAXIMUM_ENCRYPTED_BYTES = 2 * MAXIMUM_ANSWER_BYTES;
/** Node decrypts without an event where no byte of HTTP comes of it, so connections by TLS are looked at this often. */
const LOOK_MILLISECONDS = 20;

interface Watched {
  readonly raw: Socket;
  /** What `raw` has read when it is too much. */
  readonly most: number;
  readonly onTooMuch: () => void;
}

/** Counts what comes over connections, whatever it is, and tells when it is more than an attempt is worth. */
export class Intake {
  /** The TCP connection below each connection by TLS. */
  private readonly below = new WeakMap<Duplex, Socket>();
  private readonly watched = new Set<Watched>();
  private looking: NodeJS.Timeout | undefined;

  /** Takes note that `secure` runs over `raw`. */
  pair(secure: Duplex, raw: Socket): void {
    this.below.set(secure, raw);
  }

  /** Watches a handshake of TLS. `onTooMuch` is called once at most; what this gives ends the watch. */
  watchHandshake(raw: Socket, onTooMuch: () => void): () => void {
    return this.watchRaw(raw, MAXIMUM_ANSWER_BYTES, onTooMuch);
  }

  /**
   * Watches an attempt over a connection, from here on. `onTooMuch` is called once at most, after Node's HTTP client has seen the bytes
   * that are too many, so that an answer that began among them counts; what this gives ends the watch.
   */
  watchAttempt(socket: Duplex, onTooMuch: () => void): () => void {
    return this.watch(socket, MAXIMUM_ANSWER_BYTES, MAXIMUM_ENCRYPTED_BYTES, onTooMuch);
  }

  /** Watches a connection that nothing was asked over: not one byte may come (RFC 9112, 9.2), and below TLS no more than tickets. */
  watchIdle(socket: Duplex, onTooMuch: () => void): () => void {
    return this.watch(socket, 0, MAXIMUM_ANSWER_BYTES, onTooMuch);
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
    this.looking ??= setInterval(() => this.look(), LOOK_MILLISECONDS).unref();
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
