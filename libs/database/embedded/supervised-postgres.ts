import { messageOf } from '../error-code.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';

/** A PostgreSQL server that is started again, on its port, when it dies. */
export interface SupervisedPostgres {
  /** The same for as long as this is not stopped. */
  readonly url: string;
  /** Whether this start had to shut down a server that an earlier process, killed, had left behind. */
  readonly foundOrphan: boolean;
  /** Settles with the reason when the server died and is not started again. */
  readonly failed: Promise<string>;
  /** Ends the server in order; after 8 s by force. */
  stop(): Promise<void>;
}

/** A server that dies more often than this within {@link WINDOW_MILLISECONDS} has a reason that a start does not remove. */
const RESTARTS = 3;
const WINDOW_MILLISECONDS = 60_000;

/** Starts the server over `directory` and keeps it running; `onRestart` is told why each time. */
export async function superviseEmbeddedPostgres(
  directory: string,
  onRestart: (reason: string) => void,
): Promise<SupervisedPostgres> {
  let server = await startEmbeddedPostgres({ directory });
  const { url, foundOrphan } = server;
  const port = Number(new URL(url).port);
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const deaths: number[] = [];

  const failed = new Promise<string>((resolve) => {
    const restart = async (reason: string): Promise<void> => {
      const now = Date.now();
      deaths.push(now);
      if (deaths.filter((death) => now - death < WINDOW_MILLISECONDS).length > RESTARTS) return resolve(reason);
      onRestart(reason);
      try {
        server = await startEmbeddedPostgres({ directory, port });
        watch(server);
      } catch (error) {
        resolve(messageOf(error));
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
