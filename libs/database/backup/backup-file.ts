import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { parseJson } from '#kernel/json.js';
import { codeOf, messageOf } from '../error-code.js';

/** The version of the file's format, raised with every change of the format. */
export const BACKUP_FORMAT = 1;

/** The first frame of a backup. */
export interface BackupHeader {
  readonly format: number;
  /**
   * ISO 8601, in UTC: when its snapshot was taken. The backup contains all writes acknowledged before that.
   */
  readonly taken_at: string;
  /** The schema migrations that the tables have. */
  readonly migrations: readonly { readonly version: number; readonly name: string; readonly checksum: string }[];
}

/** A table of a backup. */
export interface BackedUpTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** The digest of the rows in COPY's text form, ordered by their primary keys. */
  readonly sha256: string;
}

/** The file is not a backup, is incomplete, or comes from a newer program; the message is one sentence. */
export class BackupFileError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BackupFileError';
  }
}

/**
 * The file is one gzip stream of frames: a letter, four bytes of length, and that many bytes of content. `H`
 * is the header. Each table has one `T` (its name and columns), any number of `D` (rows) and one `S` (count
 * and digest of its rows). The last frame is `E`, with the digest of everything before it. All frames but `D`
 * contain JSON.
 */
type Frame = 'H' | 'T' | 'D' | 'S' | 'E';

const PREFIX_BYTES = 5;
const READ_BYTES = 256 * 1024;
const NEW_LINE = 10;
/** The file is hardly larger than at the highest level, and compressing it takes a fifth of the time. */
const LEVEL = 3;

/**
 * Writes a backup that only its owner may read. The file gets its name only once it is complete and on the
 * disk.
 */
export class BackupWriter {
  private readonly digest = createHash('sha256');
  private readonly tables: BackedUpTable[] = [];
  private open: {
    readonly name: string;
    readonly columns: readonly string[];
    rows: number;
    readonly hash: Hash;
  } | null = null;
  private failure: Error | null = null;

  private constructor(
    private readonly path: string,
    private readonly gzip: Gzip,
    private readonly written: Promise<void>,
  ) {
    gzip.on('error', (error) => (this.failure ??= error));
    written.catch((error: Error) => (this.failure ??= error));
  }

  /** Throws {@link BackupFileError} if the file exists or cannot be created. */
  static async create(path: string, header: BackupHeader): Promise<BackupWriter> {
    if (await exists(path)) throw new BackupFileError(`${path} exists already: name another file, or remove it first.`);
    const gzip = createGzip({ level: LEVEL });
    const file = createWriteStream(unfinished(path), { mode: 0o600 });
    try {
      await once(file, 'open');
    } catch (error) {
      throw new BackupFileError(`${path} cannot be written: ${messageOf(error)}.`, { cause: error });
    }
    const writer = new BackupWriter(path, gzip, finished(gzip.pipe(file)));
    file.on('error', (error) => gzip.destroy(error));
    await writer.frame('H', json(header));
    return writer;
  }

  async beginTable(name: string, columns: readonly string[]): Promise<void> {
    this.open = { name, columns, rows: 0, hash: createHash('sha256') };
    await this.frame('T', json({ name, columns }));
  }

  /** Writes rows in COPY's text form, one line each. A chunk may end anywhere. */
  async write(chunk: Buffer): Promise<void> {
    this.open!.rows += linesIn(chunk);
    this.open!.hash.update(chunk);
    await this.frame('D', chunk);
  }

  async endTable(): Promise<BackedUpTable> {
    const { hash, ...rest } = this.open!;
    const table = { ...rest, sha256: hash.digest('hex') };
    this.tables.push(table);
    await this.frame('S', json(table));
    return table;
  }

  /** Completes the file and returns its size in bytes. */
  async finish(): Promise<number> {
    const tables = this.tables.length;
    await this.frame('E', json({ tables, sha256: this.digest.digest('hex') }));
    this.gzip.end();
    await this.written;
    const file = await open(unfinished(this.path), 'r');
    try {
      await file.sync();
      await rename(unfinished(this.path), this.path);
      return (await file.stat()).size;
    } finally {
      await file.close();
    }
  }

  /** Deletes the incomplete file. */
  async abandon(): Promise<void> {
    this.gzip.destroy();
    await this.written.catch(() => undefined);
    await rm(unfinished(this.path), { force: true });
  }

  private async frame(kind: Frame, bytes: Buffer): Promise<void> {
    if (this.failure !== null) throw this.failure;
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.write(kind, 0, 'latin1');
    prefix.writeUInt32BE(bytes.length, 1);
    if (kind !== 'E') this.digest.update(prefix).update(bytes);
    this.gzip.write(prefix);
    if (!this.gzip.write(bytes) && !this.gzip.destroyed) await once(this.gzip, 'drain');
  }
}

/** The parts of a backup, in this order for each table; `end` comes only if the whole file is unchanged. */
export type BackupPart =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'table'; readonly name: string; readonly columns: readonly string[] }
  | { readonly kind: 'rows'; readonly bytes: Buffer }
  | { readonly kind: 'table_end'; readonly table: BackedUpTable }
  | { readonly kind: 'end'; readonly tables: number };

/**
 * Reads a backup part by part, in constant memory. Throws {@link BackupFileError} for a file that is not a
 * backup, that was cut off or altered anywhere, or that has a newer format.
 */
export async function* readBackup(
  path: string,
  onProgress: (bytes: number) => void = () => undefined,
): AsyncGenerator<BackupPart> {
  let read = 0;
  const file = createReadStream(path, { highWaterMark: READ_BYTES });
  file.on('data', (chunk) => onProgress((read += chunk.length)));
  const gunzip = file.pipe(createGunzip({ chunkSize: READ_BYTES }));
  file.on('error', (error) => gunzip.destroy(error));
  try {
    yield* checked(framesOf(gunzip), path);
  } catch (error) {
    if (error instanceof BackupFileError) throw error;
    if (codeOf(error) === 'ENOENT') throw new BackupFileError(`There is no file ${path}.`, { cause: error });
    if (String(codeOf(error)).startsWith('Z_')) throw damaged(path, error);
    throw error;
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

/** Reads a backup to its end and returns its header and tables. Throws as {@link readBackup} does. */
export async function inspectBackup(
  path: string,
  onProgress?: (bytes: number) => void,
): Promise<{ readonly header: BackupHeader; readonly tables: readonly BackedUpTable[] }> {
  let header: BackupHeader | null = null;
  const tables: BackedUpTable[] = [];
  for await (const part of readBackup(path, onProgress)) {
    if (part.kind === 'header') header = part.header;
    if (part.kind === 'table_end') tables.push(part.table);
  }
  return { header: header!, tables };
}

async function* checked(
  frames: AsyncIterable<{ readonly kind: string; readonly prefix: Buffer; readonly bytes: Buffer }>,
  path: string,
): AsyncGenerator<BackupPart> {
  const digest = createHash('sha256');
  let table: { rows: number; hash: Hash } | null = null;
  let tables = 0;
  let isFirst = true;
  let isWhole = false;
  for await (const { kind, prefix, bytes } of frames) {
    if (isFirst !== (kind === 'H') || isWhole) throw damaged(path);
    isFirst = false;
    if (kind !== 'E') digest.update(prefix).update(bytes);
    if (kind === 'D') {
      if (table === null) throw damaged(path);
      table.rows += linesIn(bytes);
      table.hash.update(bytes);
      yield { kind: 'rows', bytes };
      continue;
    }
    const content = parsed(bytes, path);
    if (kind === 'H') {
      yield { kind: 'header', header: knownHeader(content, path) };
    } else if (kind === 'T') {
      table = { rows: 0, hash: createHash('sha256') };
      yield { kind: 'table', ...(content as { name: string; columns: readonly string[] }) };
    } else if (kind === 'S') {
      const summary = content as BackedUpTable;
      if (table === null || summary.rows !== table.rows || summary.sha256 !== table.hash.digest('hex'))
        throw damaged(path);
      table = null;
      tables += 1;
      yield { kind: 'table_end', table: summary };
    } else if (kind === 'E') {
      const end = content as { tables: number; sha256: string };
      if (end.tables !== tables || end.sha256 !== digest.digest('hex')) throw damaged(path);
      isWhole = true;
      yield { kind: 'end', tables };
    } else {
      throw damaged(path);
    }
  }
  if (!isWhole) throw damaged(path);
}

/** Splits a stream of bytes into frames; an incomplete frame at its end is dropped. */
async function* framesOf(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<{ kind: string; prefix: Buffer; bytes: Buffer }> {
  let chunks: Buffer[] = [];
  let length = 0;
  let requested = PREFIX_BYTES;
  let prefix: Buffer | null = null;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= requested) {
      const all: Buffer = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
      const bytes = all.subarray(0, requested);
      chunks = [all.subarray(requested)];
      length -= requested;
      if (prefix === null) {
        prefix = bytes;
        requested = bytes.readUInt32BE(1);
        if (requested > MAX_FRAME_BYTES) return;
      } else {
        yield { kind: prefix.toString('latin1', 0, 1), prefix, bytes };
        prefix = null;
        requested = PREFIX_BYTES;
      }
    }
  }
}

/** The maximum size of a frame: PostgreSQL sends one row at a time, of at most one gigabyte. */
const MAX_FRAME_BYTES = 2 ** 30;

function knownHeader(content: unknown, path: string): BackupHeader {
  const header = content as BackupHeader;
  if (!Array.isArray(header.migrations) || typeof header.format !== 'number') throw damaged(path);
  if (header.format > BACKUP_FORMAT) {
    throw new BackupFileError(
      `${path} was written by a newer program (format ${header.format}; this one supports ${BACKUP_FORMAT}): restore ` +
        'it with that program.',
    );
  }
  return header;
}

function parsed(bytes: Buffer, path: string): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw damaged(path, error);
  }
}

function damaged(path: string, cause?: unknown): BackupFileError {
  return new BackupFileError(
    `${path} is not a complete backup: it was cut off, altered, or is another kind of file; nothing was restored ` +
      'from it. Use another one.',
    { cause },
  );
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, at + 1)) lines += 1;
  return lines;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function unfinished(path: string): string {
  return `${path}.unfinished`;
}
