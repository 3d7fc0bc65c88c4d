import type { Entity } from './entities.js';
import type { Projection, ProjectionContext, Row, StreamRows } from './projection.js';

/** The rows of one entity, by table: streams that own columns of the same row return one row each, and these are merged; rows of events stand alone. */
export function rowsOfEntity(projection: Projection, entity: Entity, context: ProjectionContext): StreamRows {
  const rows: { [table: string]: readonly Row[] } = {};
  for (const { category, rows: rowsOfStream, isOfEvents } of projection.streams) {
    const stream = entity.get(category);
    if (stream === undefined) continue;
    for (const [table, own] of Object.entries(rowsOfStream(stream, context))) {
      const before = rows[table] ?? [];
      rows[table] = before.length === 0 ? own : isOfEvents === true ? [...before, ...own] : [{ ...before[0], ...own[0] }];
    }
  }
  return rows;
}
