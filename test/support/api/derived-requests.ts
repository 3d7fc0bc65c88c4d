import { apiRoutes } from '#api/listener.js';
import { fieldsOf, type ShapeClass } from '#http/fields/shape.js';
import type { Executor } from '#projections/projection.js';
import { RESOURCE_MODULES } from '#resources/modules.js';
import { PROJECTIONS } from '#resources/registry.js';
import { NothingThereError } from '../session/chance.js';
import { type ApiAnswer, type ApiClient, tagOf } from './http-client.js';
import { nameOfKind, validBody } from './valid-bodies.js';

export type Route = ReturnType<typeof apiRoutes>[number];

/** Every write of the API. */
export const WRITES: readonly Route[] = apiRoutes(RESOURCE_MODULES).filter(({ method }) => method !== 'GET');

/** A write, ready to be sent. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly ifMatch?: string | undefined;
}

/** What requests are made with. */
export interface DerivedSetting {
  readonly client: ApiClient;
  /** Every id of a kind that there is. */
  readonly idsOf: (kind: string) => Promise<readonly string[]>;
  /** How a thing is made that needs more than a body of its class, by the kind of its id. */
  readonly makers?: Readonly<Record<string, () => Promise<string>>>;
}

/** Ids by their kind, as `idKindOf` names kinds. */
export type Ids = ReadonlyMap<string, string>;

/** How tests name a route. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The route that makes a thing of a kind: a POST whose answer is 201 and shows an `id` of that kind; null where there is none. */
export function creatorOf(kind: string): Route | null {
  return WRITES.find((route) => kindThatIsMadeBy(route) === kind) ?? null;
}

/** Which kind of thing a route makes; null where it makes none. */
export function kindThatIsMadeBy({ operation }: Route): string | null {
  if (operation.successStatus !== 201 || operation.responseKind !== 'single' || operation.response === null) return null;
  return kindsOf(operation.response).get('id') ?? null;
}

/** The kinds of things that a POST makes. */
export const KINDS_THAT_ARE_MADE: readonly string[] = [...new Set(WRITES.flatMap((route) => kindThatIsMadeBy(route) ?? []))];

/** The kinds of the ids in a route's path, by parameter in order. */
export function kindsOfPath({ operation }: Route): ReadonlyMap<string, string> {
  return operation.parameters === undefined ? new Map() : kindsOf(operation.parameters);
}

function kindsOf(shapeClass: ShapeClass): ReadonlyMap<string, string> {
  return new Map(
    fieldsOf(shapeClass).flatMap(({ name, shape }) => (shape.kind === 'identifier' ? [[name, nameOfKind(shape.of)] as const] : [])),
  );
}

/** The ids of a kind that an organisation's read tables hold. */
export async function idsInTables(database: Executor, organisationId: string, kind: string): Promise<readonly string[]> {
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
  .join(' union all ');

/** A new thing of a kind, made as its own POST says, inside new things where it is inside others; the ids of all of them. Throws where that is refused. */
export async function makeDerived(setting: DerivedSetting, kind: string): Promise<Ids> {
  const maker = setting.makers?.[kind];
  if (maker !== undefined) return new Map([[kind, await maker()]]);
  const route = creatorOf(kind);
  if (route === null)
    throw new Error(`no route makes a thing with an id of the kind ${kind}: the tests have to be told how one comes about`);
  const around = await makeAround(setting, route);
  const request = await derivedRequest(setting, route, around);
  const { status, text, json } = (await setting.client.send(request.method, request.path, request)) as ApiAnswer<{ readonly id: string }>;
  if (status !== 201) throw new Error(`${nameOf(route)} refused a body made from its class, ${JSON.stringify(request.body)}: ${text}`);
  return new Map([...around, [kind, json.data.id]]);
}

/** New things for every id in the path of a route. */
export async function makeAround(setting: DerivedSetting, route: Route): Promise<Ids> {
  const innermost = [...kindsOfPath(route).values()].at(-1);
  return innermost === undefined ? new Map() : makeDerived(setting, innermost);
}

/** A request of a route about the things with these ids, with a random body that its class accepts and the entity tag that it asks for. */
export async function derivedRequest(setting: DerivedSetting, route: Route, ids: Ids, bodyOf = validBody): Promise<Request> {
  const { method, operation } = route;
  const path = filled(route, ids);
  const anyId = async (kind: string): Promise<string | null> => (await setting.idsOf(kind)).at(-1) ?? null;
  const body = operation.body === undefined ? undefined : await bodyOf(operation.body, anyId);
  return { method, path, body, ifMatch: operation.write?.ifMatch === 'required' ? await tagForWriteAt(setting.client, path) : undefined };
}

/** A request of a route about any things that there are. Throws `NothingThereError` where one of them is not. */
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

/** The tag that a write at a path asks for: of the thing there, or of that which the last segment is an action of. */
export async function tagForWriteAt(client: ApiClient, path: string): Promise<string> {
  for (const read of [path, path.slice(0, path.lastIndexOf('/'))]) {
    const answer = await client.get(read);
    if (answer.status === 200) return tagOf(answer);
  }
  throw new Error(`nothing at ${path} shows the entity tag that a write there asks for`);
}
