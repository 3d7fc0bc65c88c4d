import { apiRoutes } from '#api/listener.js';
import { fieldsOf, type ShapeClass } from '#http/fields/shape.js';
import type { Executor } from '#projections/projection.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { PROJECTIONS } from '#composition/registry.js';
import { NothingThereError } from '../session/chance.js';
import { type ApiAnswer, type ApiClient, tagOf } from './http-client.js';
import { nameOfKind, validBody } from './valid-bodies.js';

export type Route = ReturnType<typeof apiRoutes>[number];

/** Every write of the API. */
export const WRITES: readonly Route[] = apiRoutes(RESOURCE_MODULES).filter(({ method }) => method !== 'GET');

/** A write that can be sent. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
}

/** What requests are made from. */
export interface DerivedSetting {
  readonly client: ApiClient;
  /** Returns all existing ids of a kind. */
  readonly idsOf: (kind: string) => Promise<readonly string[]>;
  /** Makers of the resources that need more than a body of their class, by the kind of their id. */
  readonly makers?: Readonly<Record<string, () => Promise<string>>>;
}

/** Ids by their kind, as `idKindOf` names kinds. */
export type Ids = ReadonlyMap<string, string>;

/** Returns the name of a route in the tests. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/**
 * Returns the route that creates a resource of a kind: a POST that answers 201 with an `id` of that kind;
 * null where there is none.
 */
export function creatorOf(kind: string): Route | null {
  return WRITES.find((route) => kindThatIsMadeBy(route) === kind) ?? null;
}

/** Returns the kind of resource that a route creates; null where it creates none. */
export function kindThatIsMadeBy({ operation }: Route): string | null {
  if (operation.successStatus !== 201 || operation.responseKind !== 'single' || operation.response === null)
    return null;
  return kindsOf(operation.response).get('id') ?? null;
}

/** The kinds of resources that a POST creates. */
export const KINDS_THAT_ARE_MADE: readonly string[] = [
  ...new Set(WRITES.flatMap((route) => kindThatIsMadeBy(route) ?? [])),
];

/** Returns the kinds of the ids in a route's path, by parameter, in order. */
export function kindsOfPath({ operation }: Route): ReadonlyMap<string, string> {
  return operation.parameters === undefined ? new Map() : kindsOf(operation.parameters);
}

function kindsOf(shapeClass: ShapeClass): ReadonlyMap<string, string> {
  return new Map(
    fieldsOf(shapeClass).flatMap(({ name, shape }) =>
      shape.kind === 'identifier' ? [[name, nameOfKind(shape.of)] as const] : [],
    ),
  );
}

/** Returns the ids of a kind in an organisation's read tables. */
export async function idsInTables(
  database: Executor,
  organisationId: string,
  kind: string,
): Promise<readonly string[]> {
  const isPerson = kind === 'person';
  const { rows } = isPerson
    ? await database.query<{ readonly id: string }>(PEOPLE, [organisationId])
    : await database.query<{ readonly id: string }>(OTHERS, [organisationId, `^${kind}[^.]{8}\\.`]);
  return rows.map(({ id }) => id);
}

const PEOPLE = 'select person_id as id from people where organisation_id = $1 and identity_revision is not null';
const OTHERS = PROJECTIONS.flatMap((projection) => projection.tables)
  .filter(({ primaryKey }) => primaryKey.join() === 'organisation_id,id')
  .map(({ name }) => `select id from ${name} where organisation_id = $1 and id ~ $2`)
  .concat('select key_id as id from api_keys where organisation_id = $1 and key_id ~ $2')
  .join(' union all ');

/**
 * Creates a resource of a kind by its POST, inside new resources where its path names any; returns the ids of
 * all of them. Throws where a request is refused.
 */
export async function makeDerived(setting: DerivedSetting, kind: string): Promise<Ids> {
  const maker = setting.makers?.[kind];
  if (maker !== undefined) return new Map([[kind, await maker()]]);
  const route = creatorOf(kind);
  if (route === null)
    throw new Error(
      `no route makes a thing with an id of the kind ${kind}: the tests have to be told how one comes about`,
    );
  const around = await makeAround(setting, route);
  const request = await derivedRequest(setting, route, around);
  const { status, text, json } = (await setting.client.send(request.method, request.path, request)) as ApiAnswer<{
    readonly id: string;
  }>;
  if (status !== 201)
    throw new Error(`${nameOf(route)} refused a body made from its class, ${JSON.stringify(request.body)}: ${text}`);
  return new Map([...around, [kind, json.data.id]]);
}

/** Creates a new resource for every id in the path of a route. */
export async function makeAround(setting: DerivedSetting, route: Route): Promise<Ids> {
  const innermost = [...kindsOfPath(route).values()].at(-1);
  return innermost === undefined ? new Map() : makeDerived(setting, innermost);
}

/**
 * Returns a request of a route for the resources with these ids, with a random body that its class accepts
 * and the entity tag that it needs.
 */
export async function derivedRequest(
  setting: DerivedSetting,
  route: Route,
  ids: Ids,
  bodyOf = validBody,
): Promise<Request> {
  const { method, operation } = route;
  const path = filled(route, ids);
  const anyId = async (kind: string): Promise<string | null> => (await setting.idsOf(kind)).at(-1) ?? null;
  const body = operation.body === undefined ? undefined : await bodyOf(operation.body, anyId);
  return {
    method,
    path,
    body,
    ifMatch: operation.write?.ifMatch === 'required' ? await tagForWriteAt(setting.client, path) : undefined,
  };
}

/**
 * Returns a request of a route for any existing resources. Throws `NothingThereError` where one does not
 * exist.
 */
export async function derivedRequestOfAny(
  setting: DerivedSetting,
  route: Route,
  choose: (ids: readonly string[]) => string,
  bodyOf = validBody,
): Promise<Request> {
  const ids = new Map<string, string>();
  for (const kind of kindsOfPath(route).values()) ids.set(kind, choose(await setting.idsOf(kind)));
  return derivedRequest(setting, route, ids, bodyOf);
}

function filled(route: Route, ids: Ids): string {
  const kinds = kindsOfPath(route);
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids.get(kinds.get(name) ?? '');
    if (id === undefined) throw new NothingThereError(`there is no ${name} for ${nameOf(route)}`);
    return id;
  });
}

/**
 * Returns the tag that a write at a path needs: that of the resource at the path, or of the resource whose
 * action is the last segment.
 */
export async function tagForWriteAt(client: ApiClient, path: string): Promise<string> {
  for (const read of [path, path.slice(0, path.lastIndexOf('/'))]) {
    const answer = await client.get(read);
    if (answer.status === 200) return tagOf(answer);
  }
  throw new Error(`nothing at ${path} shows the entity tag that a write there asks for`);
}
