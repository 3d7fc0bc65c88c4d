/** A node of EventStoreDB. */
export interface EventStoreNode {
  readonly address: string;
  readonly port: number;
}

/** The parsed `EVENTSTORE_URL`. Times in the client's units: milliseconds, but `gossipTimeout` in seconds. */
export interface EventStoreUrl {
  /** Whether the leader of the cluster is discovered by gossip: with `esdb+discover:` or several nodes. */
  readonly discovers: boolean;
  /** One or more. */
  readonly nodes: readonly EventStoreNode[];
  readonly credentials: { readonly username: string; readonly password: string } | null;
  readonly tls: boolean;
  /** Paths of PEM files. */
  readonly tlsCAFile: string | null;
  readonly userCertFile: string | null;
  readonly userKeyFile: string | null;
  readonly connectionName: string | null;
  readonly discoveryInterval: number | null;
  readonly maxDiscoverAttempts: number | null;
  readonly gossipTimeout: number | null;
  readonly keepAliveInterval: number | null;
  readonly keepAliveTimeout: number | null;
}

const DEFAULT_PORT = 2_113;
const NUMBERS = [
  'discoveryInterval',
  'maxDiscoverAttempts',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
] as const;
const TEXTS = ['tlsCAFile', 'userCertFile', 'userKeyFile', 'connectionName'] as const;
/**
 * Known to the client, but without effect here: every call has a time limit of its own, refusals are errors.
 */
const IGNORED = ['defaultDeadline', 'throwOnAppendFailure'];
const KNOWN = ['tls', ...TEXTS, ...NUMBERS, 'nodePreference', 'tlsVerifyCert', ...IGNORED];
const FORM = /^(esdb|esdb\+discover):\/\/(?:([^@/?]*)@)?([^@/?]+)\/?(?:\?([^?]*))?$/;
const NODE = /^([A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

/**
 * See `parseEventStoreUrl`; the text is the end of a sentence, such as "names no node", and repeats no part
 * of the URL, which may contain a password.
 */
class EventStoreUrlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EventStoreUrlError';
  }
}

/**
 * Parses a connection string of EventStoreDB, instead of the client's parser, which quotes the string with
 * its password in errors and warnings. Throws {@link EventStoreUrlError}.
 */
export function parseEventStoreUrl(text: string): EventStoreUrl {
  if (!/^esdb(\+discover)?:\/\/./.test(text.trim()))
    throw new EventStoreUrlError('must be a URL that starts with esdb:// or esdb+discover://');
  const [, scheme, credentials, nodes, query] = FORM.exec(text.trim()) ?? [];
  if (scheme === undefined || nodes === undefined) {
    throw new EventStoreUrlError(
      'must be esdb://USER:PASSWORD@NODE:PORT,NODE:PORT?NAME=VALUE&NAME=VALUE, with user and password ' +
        'percent-encoded (@ is %40, : is %3A, / is %2F, ? is %3F)',
    );
  }
  const parsed = nodes.split(',').map(nodeOf);
  const options = optionsOf(query ?? '');
  const textOf = (name: (typeof TEXTS)[number]): string | null => options.get(name.toLowerCase()) ?? null;
  const number = (name: (typeof NUMBERS)[number]): number | null => numberOf(name, options.get(name.toLowerCase()));
  const [userCertFile, userKeyFile] = [textOf('userCertFile'), textOf('userKeyFile')];
  if ((userCertFile === null) !== (userKeyFile === null))
    throw new EventStoreUrlError('must have userCertFile and userKeyFile together');
  return {
    discovers: scheme === 'esdb+discover' || parsed.length > 1,
    nodes: parsed,
    credentials: credentials === undefined ? null : credentialsOf(credentials),
    tls: options.get('tls') !== 'false',
    tlsCAFile: textOf('tlsCAFile'),
    userCertFile,
    userKeyFile,
    connectionName: textOf('connectionName'),
    discoveryInterval: number('discoveryInterval'),
    maxDiscoverAttempts: number('maxDiscoverAttempts'),
    gossipTimeout: number('gossipTimeout'),
    keepAliveInterval: number('keepAliveInterval'),
    keepAliveTimeout: number('keepAliveTimeout'),
  };
}

/** The problem of the value of `EVENTSTORE_URL`, as the end of a sentence; null if there is none. */
export function problemOfEventStoreUrl(text: string): string | null {
  try {
    parseEventStoreUrl(text);
    return null;
  } catch (error) {
    if (error instanceof EventStoreUrlError) return error.message;
    throw error;
  }
}

function nodeOf(text: string): EventStoreNode {
  const [, address, port] = NODE.exec(text.trim()) ?? [];
  const number = Number(port ?? DEFAULT_PORT);
  if (address === undefined || number < 1 || number > 65_535)
    throw new EventStoreUrlError(
      'must name nodes as NODE or NODE:PORT, separated by commas, with ports from 1 to 65535, and a user and ' +
        'password before them percent-encoded',
    );
  return { address, port: number };
}

function credentialsOf(text: string): { username: string; password: string } {
  const [username, password, ...rest] = text.split(':');
  try {
    if (username && password && rest.length === 0)
      return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    // Reported below: a percent sign that encodes nothing.
  }
  throw new EventStoreUrlError(
    'must have USER:PASSWORD before the @, both percent-encoded (@ is %40, : is %3A, / is %2F, % is %25)',
  );
}

/** Options by their names in lower case, because the client ignores case too. */
function optionsOf(query: string): ReadonlyMap<string, string> {
  const known = new Set(KNOWN.map((name) => name.toLowerCase()));
  const options = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const key = name.toLowerCase().replaceAll(/[_-]/g, '');
    if (!known.has(key))
      throw new EventStoreUrlError(
        `has an unknown option; the known ones are ${KNOWN.filter((one) => !IGNORED.includes(one)).join(', ')}`,
      );
    options.set(key, value);
  }
  for (const name of ['tls', 'tlsverifycert'])
    if (!['true', 'false', undefined].includes(options.get(name)))
      throw new EventStoreUrlError('must have tls=true or tls=false');
  if (options.get('tlsverifycert') === 'false')
    throw new EventStoreUrlError(
      'must not have tlsVerifyCert=false: name the authority of the certificate in tlsCAFile',
    );
  // A follower may lag behind, and a read must see the write before it.
  if ((options.get('nodepreference') ?? 'leader').toLowerCase() !== 'leader')
    throw new EventStoreUrlError('must have nodePreference=leader or no nodePreference');
  return options;
}

function numberOf(name: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,7}$/.test(value)) return Number(value);
  throw new EventStoreUrlError(`must have a whole number for ${name}`);
}
