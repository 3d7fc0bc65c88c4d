import { HttpError } from '../errors.js';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The methods of each path, which distinguish a wrong method (405) from an unknown path (404). */
export class MethodTable {
  private readonly paths = new Map<string, KnownPath>();

  /** @param route a Fastify route pattern. */
  add(route: string, methods: readonly string[]): void {
    const known = this.paths.get(route) ?? { pattern: toPattern(route), methods: new Set<string>() };
    for (const method of methods) known.methods.add(method);
    this.paths.set(route, known);
  }

  /** Returns the methods of a path, sorted; null for an unknown path. */
  methodsOf(url: string): readonly string[] | null {
    const path = url.split(/[?#]/, 1)[0] ?? '';
    // Longest first: a fixed path takes precedence over a path with a parameter in the same place.
    const known = [...this.paths.entries()]
      .filter(([, { pattern }]) => pattern.test(path))
      .sort(([a], [b]) => fixedLength(b) - fixedLength(a))[0];
    return known === undefined ? null : [...known[1].methods].sort();
  }

  /** Returns the methods of all paths, sorted. */
  everyMethod(): readonly string[] {
    return [...new Set([...this.paths.values()].flatMap(({ methods }) => [...methods]))].sort();
  }

  /** Returns the error for a request that matches no route. */
  refusal(method: string, url: string): HttpError {
    const known = this.methodsOf(url);
    if (known === null) return pathNotFound();
    const allow = known.join(', ');
    return new HttpError('invalid_request', {
      status: 405,
      message: `${method} is not allowed for this path.`,
      headers: { allow },
    });
  }
}

/** The error for an unknown path. */
export function pathNotFound(): HttpError {
  return new HttpError('not_found', { message: 'The path does not exist.' });
}

function toPattern(route: string): RegExp {
  const source = route
    .split('/')
    .map((segment) =>
      segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('/');
  return new RegExp(`^${source}$`);
}

function fixedLength(route: string): number {
  return route.replace(/:[^/]+|\*/g, '').length;
}
