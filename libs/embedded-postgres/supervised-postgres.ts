import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '#database/error-code.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { freeBytes } from './free-space.js';

/** A PostgreSQL server that is restarted on the same port when it dies. */
export interface SupervisedPostgres {
  /** The same until this is stopped. */
  readonly url: string;
  /** Whether this start had to shut down a server of an earlier, killed process. */
  readonly foundOrphan: boolean;
  /** Settles with the reason when the server died and is not restarted. */
  readonly failed: Promise<string>;
  /** Shuts the server down cleanly; after 8 s by force. */
  stop(): Promise<void>;
}

/**
 * A server that dies more often than this within {@link WINDOW_MILLISECONDS} has a problem that a restart
 * does not solve.
 */
const RESTARTS = 3;
const WINDOW_MILLISECONDS = 60_000;

/** Two files of PostgreSQL's log: it cannot start without room for the next one. */
const MIN_FREE_BYTES = 32 * 1024 ** 2;
const POLL_MILLISECONDS = 1_000;

/** Whether the disk of a directory has room to start PostgreSQL. */
async function hasRoom(directory: string): Promise<boolean> {
  return (await freeBytes(directory)) >= MIN_FREE_BYTES;
}

/**
 * Starts the server over `directory` and keeps it running; `onRestart` receives the reason each time. A
 * server that ended because its disk is full is started once there is room, however long that takes:
 * `hasRoomIn` checks it.
 */
export async function superviseEmbeddedPostgres(
  directory: string,
  onRestart: (reason: string) => void,
  hasRoomIn: (directory: string) => Promise<boolean> = hasRoom,
): Promise<SupervisedPostgres> {
  let server = await startEmbeddedPostgres({ directory });
  const { url, foundOrphan } = server;
  const port = Number(new URL(url).port);
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const deaths: number[] = [];

  const failed = new Promise<string>((resolve) => {
    const restart = async (reason: string): Promise<void> => {
      if (await hasRoomIn(directory)) {
        const now = Date.now();
        deaths.push(now);
        if (deaths.filter((death) => now - death < WINDOW_MILLISECONDS).length > RESTARTS) return resolve(reason);
        onRestart(reason);
      } else {
        onRestart(`its disk is full, so it waits for free space (${reason})`);
        while (!stopping && !(await hasRoomIn(directory))) await wait(POLL_MILLISECONDS);
      }
      if (stopping) return;
      try {
        server = await startEmbeddedPostgres({ directory, port });
        watch(server);
      } catch (error) {
        if (await hasRoomIn(directory)) return resolve(messageOf(error));
        return restart(messageOf(error));
      }
    };
    const watch = (watched: EmbeddedPostgres): void => {
      void watched.ended.then((reason) => {
        if (!stopping) restarting = restart(reason);
      });
    };
    watch(server);
  });

  const stop = async (): Promise<void> => {
    stopping = true;
    await restarting;
    await server.stop();
  };
  return { url, foundOrphan, failed, stop };
}
