import type { Position } from '../event-store.js';
import { textOfDigits } from './positions.js';
import type { Place, PreparedAppend } from './prepared-append.js';
import { MessageReader, MessageWriter } from './protocol-buffers.js';

/**
 * The messages of `streams.proto` that come and go with every event: written and read here field by field, because the generated classes take
 * several times as long. The others are left to them. `messages.spec.ts` compares both.
 */
const UUID = { string: 2 };
const STREAM_IDENTIFIER = { name: 3 };
const EMPTY: () => void = () => undefined;
const POSITION = { commit: 1, prepare: 2 };
const BATCH_APPEND_REQUEST = { correlation: 1, options: 2, events: 3, isFinal: 4 };
const BATCH_APPEND_OPTIONS = { stream: 1, position: 2, noStream: 3 };
const PROPOSED_EVENT = { id: 1, properties: 2, metadata: 3, data: 4 };
const BATCH_APPEND_RESPONSE = { correlation: 1, success: 3 };
const BATCH_APPEND_SUCCESS = { revision: 1, position: 3 };
const READ_RESPONSE = { event: 1, checkpoint: 3, caughtUp: 8 };
const READ_EVENT = { event: 1 };
const RECORDED_EVENT = { id: 1, stream: 2, revision: 3, prepare: 4, commit: 5, properties: 6, metadata: 7, data: 8 };

const JSON_CONTENT = 'application/json';

/** An append, as a `BatchAppendReq`. */
export function batchAppendRequest({ stream, expected, events }: PreparedAppend, correlation: string): Buffer {
  const message = new MessageWriter();
  message.message(BATCH_APPEND_REQUEST.correlation, () => message.text(UUID.string, correlation));
  message.message(BATCH_APPEND_REQUEST.options, () => {
    message.message(BATCH_APPEND_OPTIONS.stream, () => message.text(STREAM_IDENTIFIER.name, stream));
    if (expected === 'none') message.message(BATCH_APPEND_OPTIONS.noStream, EMPTY);
    else message.number(BATCH_APPEND_OPTIONS.position, expected);
  });
  for (const { id, type, data, metadata } of events) {
    message.message(BATCH_APPEND_REQUEST.events, () => {
      message.message(PROPOSED_EVENT.id, () => message.text(UUID.string, id));
      message.entry(PROPOSED_EVENT.properties, 'type', type);
      message.entry(PROPOSED_EVENT.properties, 'content-type', JSON_CONTENT);
      message.text(PROPOSED_EVENT.metadata, metadata);
      message.text(PROPOSED_EVENT.data, data);
    });
  }
  message.number(BATCH_APPEND_REQUEST.isFinal, 1);
  return message.finish();
}

/** What a server says of one append. */
export interface BatchAppendResponse {
  readonly correlation: string;
  /** Where its last event is; null where it was refused, of which `message` says more. */
  readonly place: Place | null;
  /** The whole `BatchAppendResp`. */
  readonly message: Buffer;
}

/** Reads a `BatchAppendResp`. */
export function batchAppendResponse(bytes: Buffer): BatchAppendResponse {
  const message = new MessageReader(bytes);
  let correlation = '';
  let place: Place | null = null;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === BATCH_APPEND_RESPONSE.correlation) correlation = message.textOf(UUID.string);
    else if (field === BATCH_APPEND_RESPONSE.success) place = placeIn(message.message());
    else message.skip();
  }
  return { correlation, place, message: bytes };
}

function placeIn(message: MessageReader): Place {
  let revision = 0;
  let position: Position | null = null;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === BATCH_APPEND_SUCCESS.revision) revision = message.number();
    else if (field === BATCH_APPEND_SUCCESS.position) position = positionIn(message.message());
    else message.skip();
  }
  return { revision, position };
}

/** An event as the server sends it: what it says is not parsed. */
export interface RawEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly isJson: boolean;
  /** The server's clock, in ticks of 100 ns since 1970. */
  readonly created: string;
  readonly id: string;
  /** JSON text. */
  readonly data: string;
  readonly metadata: string;
}

/** What tells where an event belongs, and all of it as it was sent, a `RecordedEvent`. */
export interface SentEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly isJson: boolean;
  readonly message: Buffer;
}

/** What a message of a read says: a `ReadResp`. */
export interface ReadResponse {
  readonly event: SentEvent | null;
  /** How far the server has looked without finding an event of the filter's. */
  readonly checkpoint: Position | null;
  readonly isCaughtUp: boolean;
}

/** Reads a `ReadResp`. */
export function readResponse(bytes: Buffer): ReadResponse {
  const message = new MessageReader(bytes);
  let event: SentEvent | null = null;
  let checkpoint: Position | null = null;
  let isCaughtUp = false;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === READ_RESPONSE.event) event = sentEventIn(message.message());
    else if (field === READ_RESPONSE.checkpoint) checkpoint = positionIn(message.message());
    else {
      isCaughtUp ||= field === READ_RESPONSE.caughtUp;
      message.skip();
    }
  }
  return { event, checkpoint, isCaughtUp };
}

function positionIn(message: MessageReader): Position {
  let commit = '0';
  let prepare = '0';
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === POSITION.commit) commit = message.digits();
    else if (field === POSITION.prepare) prepare = message.digits();
    else message.skip();
  }
  return textOfDigits(commit, prepare);
}

function sentEventIn(message: MessageReader): SentEvent | null {
  let event: SentEvent | null = null;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === READ_EVENT.event) event = sentEvent(message.bytesOf());
    else message.skip();
  }
  return event;
}

/** What is needed of a `RecordedEvent` before it is sorted. */
function sentEvent(message: Buffer): SentEvent {
  const { stream, revision, position, type, isJson } = fieldsOf(message, false);
  return { stream, revision, position, type, isJson, message };
}

/** A whole `RecordedEvent`. */
export function rawEvent(message: Buffer): RawEvent {
  return fieldsOf(message, true);
}

function fieldsOf(bytes: Buffer, isWhole: boolean): RawEvent {
  const message = new MessageReader(bytes);
  let stream = '';
  let revision = 0;
  let commit = '0';
  let prepare = '0';
  let type = '';
  let created = '0';
  let isJson = false;
  let id = '';
  let data = '';
  let metadata = '';
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === RECORDED_EVENT.stream) stream = message.textOf(STREAM_IDENTIFIER.name);
    else if (field === RECORDED_EVENT.revision) revision = message.number();
    else if (field === RECORDED_EVENT.commit) commit = message.digits();
    else if (field === RECORDED_EVENT.prepare) prepare = message.digits();
    else if (field === RECORDED_EVENT.properties) {
      const { key, value } = message.entry();
      if (key === 'type') type = value;
      else if (key === 'created') created = value;
      else if (key === 'content-type') isJson = value === JSON_CONTENT;
    } else if (isWhole && field === RECORDED_EVENT.id) id = message.textOf(UUID.string);
    else if (isWhole && field === RECORDED_EVENT.data) data = message.text();
    else if (isWhole && field === RECORDED_EVENT.metadata) metadata = message.text();
    else message.skip();
  }
  return { stream, revision, position: textOfDigits(commit, prepare), type, isJson, created, id, data, metadata };
}
