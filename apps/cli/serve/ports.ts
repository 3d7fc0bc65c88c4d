import { createServer } from 'node:net';
import type { Configuration } from '#configuration/configuration.js';
import { codeOf } from '#database/error-code.js';
import { CommandError } from '../command-error.js';

/** A port that the configuration names. */
export interface NamedPort {
  /** The environment variable that sets it. */
  readonly variable: string;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

/** The port of the operations listener, which without a token listens on loopback alone. */
export function operationsPortOf({ host, operationsPort, operationsToken }: Configuration): NamedPort {
  return { variable: 'OPS_PORT', host: operationsToken === null ? '127.0.0.1' : host, port: operationsPort };
}

/** The ports of a process with an API. */
export function portsOf(configuration: Configuration): readonly NamedPort[] {
  const { host, port, sandboxPort } = configuration;
  return [
    { variable: 'PORT', host, port },
    { variable: 'SANDBOX_PORT', host, port: sandboxPort },
    operationsPortOf(configuration),
  ];
}

/** Throws {@link CommandError} if another program uses one of the ports, before anything is started. */
export async function ensureFree(ports: readonly NamedPort[]): Promise<void> {
  const issues = await Promise.all(ports.map(issueOf));
  const found = issues.filter((issue) => issue !== null);
  if (found.length > 0) throw new CommandError(found.join('\n'));
}

/** Returns a sentence with the reason for which a port cannot be used; null if it can. */
export function issueOf({ variable, host, port }: NamedPort): Promise<string | null> {
  if (port === 0) return Promise.resolve(null);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(sentence({ variable, host, port }, codeOf(error))));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

function sentence({ variable, host, port }: NamedPort, code: string | null): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use: stop the program that uses it, or set ${variable} to another port.`;
    case 'EACCES':
      return `Port ${port} needs more rights than this user has: set ${variable} to a port of 1024 or higher.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `The address ${host} is not one of this machine: set HOST to one that is, such as 127.0.0.1.`;
    default:
      return `Nothing can listen on port ${port} of ${host} (${code ?? 'unknown reason'}): check HOST and ${variable}.`;
  }
}
