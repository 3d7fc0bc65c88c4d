import type { EventStore } from '#event-store/event-store.js';
import type { Executor, Projection } from '#projections/projection.js';
import type { Findings } from './findings.js';
import type { HistoryCheck } from './history-check.js';

/**
 * Finds rows of read tables that derive from missing events. Until the tables are rebuilt, they reveal
 * events that were truncated or removed before an anchor covered them.
 */
export async function findRowsAhead(
  parts: { readonly executor: Executor; readonly eventStore: EventStore; readonly projections: readonly Projection[] },
  check: HistoryCheck,
  findings: Findings,
): Promise<void> {
  for (const { stream, revision } of await rowsOf(parts.executor, parts.projections)) {
    const last = check.lastRevision(stream) ?? -1;
    if (last >= revision) continue;
    // It may have been appended since the log was read.
    const [now] = await parts.eventStore.readStream(stream, { direction: 'backwards', limit: 1 });
    if ((now?.revision ?? -1) >= revision) continue;
    if (findings.has(last === -1 ? 'removed' : 'truncated', stream)) continue;
    const message = `the read tables contain its events up to ${revision}, and they are missing`;
    findings.add({
      kind: last === -1 ? 'removed' : 'truncated',
      stream,
      revision: last === -1 ? null : last + 1,
      message,
    });
  }
}

async function rowsOf(
  executor: Executor,
  projections: readonly Projection[],
): Promise<readonly { readonly stream: string; readonly revision: number }[]> {
  const seen = new Map<string, number>();
  for (const { streams } of projections) {
    for (const { category, revisionsInRows } of streams) {
      if (revisionsInRows.stream === null) continue;
      const { rows } = await executor.query<{ key: string; revision: number }>(
        `select ${revisionsInRows.stream} as key, max(${revisionsInRows.revision}) as revision from ${revisionsInRows.table}
          where ${revisionsInRows.revision} is not null group by 1`,
      );
      for (const { key, revision } of rows) {
        const stream = `${category}-${key}`;
        seen.set(stream, Math.max(seen.get(stream) ?? -1, Number(revision)));
      }
    }
  }
  return [...seen].map(([stream, revision]) => ({ stream, revision }));
}
