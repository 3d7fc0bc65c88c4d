import 'reflect-metadata';
import { type DynamicModule, RequestMethod, type Type } from '@nestjs/common';
import { endpointOf } from '../endpoint.js';
import { fieldsOf } from '../fields/shape.js';
import { type Operation, operationOf } from '../operation.js';

/** A Nest module class, or a dynamic module. */
export type ResourceModule = Type | DynamicModule;

/** One route of the API. */
export interface Route {
  readonly method: string;
  /** Below `/api/v1`, parameters in braces: `/people/{personId}`. */
  readonly path: string;
  readonly operation: Operation;
  /** The class of the controller, and the name of its method. */
  readonly controller: Type;
  readonly handler: string;
}

/** The prefix of every route (contract part 9). */
export const API_PREFIX = 'api/v1';

/**
 * Returns all routes of these modules and of those they import, in the order of their controllers. It reads
 * only the decorators, so no application has to run. Endpoints are not among them. Throws for a route without
 * a declaration.
 */
export function routeTable(modules: readonly ResourceModule[]): readonly Route[] {
  const controllers = new Set<Type>();
  const seen = new Set<unknown>();
  const visit = (entry: unknown): void => {
    if (seen.has(entry)) return;
    seen.add(entry);
    const dynamic = typeof entry === 'object' && entry !== null && 'module' in entry ? (entry as DynamicModule) : null;
    const moduleClass = dynamic?.module ?? entry;
    if (typeof moduleClass !== 'function') return;
    for (const imported of [...listOf(moduleClass, 'imports'), ...(dynamic?.imports ?? [])]) visit(imported);
    for (const controller of [...listOf(moduleClass, 'controllers'), ...(dynamic?.controllers ?? [])])
      controllers.add(controller as Type);
  };
  modules.forEach(visit);
  return [...controllers].flatMap(routesOf);
}

function listOf(moduleClass: object, name: string): readonly unknown[] {
  return (Reflect.getMetadata(name, moduleClass) as readonly unknown[] | undefined) ?? [];
}

function routesOf(controller: Type): readonly Route[] {
  const base = Reflect.getMetadata('path', controller) as string | undefined;
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name): readonly Route[] => {
    const handler = Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown;
    if (typeof handler !== 'function') return [];
    const method = Reflect.getMetadata('method', handler) as RequestMethod | undefined;
    if (method === undefined || endpointOf(handler) !== undefined) return [];
    const operation = operationOf(handler);
    if (operation === undefined)
      throw new Error(`${controller.name}.${name} is a route without @Operation or @Endpoint`);
    const path = pathOf(base ?? '', (Reflect.getMetadata('path', handler) as string | undefined) ?? '');
    return [{ method: RequestMethod[method], path, operation, controller, handler: name }];
  });
}

function pathOf(...parts: readonly string[]): string {
  const segments = parts.flatMap((part) => part.split('/')).filter((segment) => segment !== '');
  return `/${segments.map((segment) => (segment.startsWith(':') ? `{${segment.slice(1)}}` : segment)).join('/')}`;
}

/**
 * Returns the path of the resource that a route creates, with its id in braces: `/people/{personId}` for
 * `POST /people`. Null if the route creates nothing, or a resource without a path of its own.
 */
export function createdPathOf({ path, operation }: Route, routes: readonly Route[]): string | null {
  if (operation.successStatus !== 201 || operation.response === null) return null;
  if (!fieldsOf(operation.response).some(({ name }) => name === 'id')) return null;
  return routes.find((route) => route.method === 'GET' && isItemOf(path, route.path))?.path ?? null;
}

function isItemOf(collection: string, path: string): boolean {
  return path.startsWith(`${collection}/`) && /^\{\w+\}$/.test(path.slice(collection.length + 1));
}
