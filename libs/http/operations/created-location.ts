import { fieldsOf } from '../fields/shape.js';
import type { Route } from './route-table.js';

/**
 * Returns the path at which the resource that a route creates can be read, with its id in braces: `/people/{personId}` for `POST /people`. Null
 * where the route creates nothing, or nothing that has a path of its own.
 */
export function createdPathOf({ path, operation }: Route, routes: readonly Route[]): string | null {
  if (operation.successStatus !== 201 || operation.response === null) return null;
  if (!fieldsOf(operation.response).some(({ name }) => name === 'id')) return null;
  return routes.find((route) => route.method === 'GET' && isItemOf(path, route.path))?.path ?? null;
}

function isItemOf(collection: string, path: string): boolean {
  return path.startsWith(`${collection}/`) && /^\{\w+\}$/.test(path.slice(collection.length + 1));
}
