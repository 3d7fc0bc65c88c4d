import { MessageReader } from '#event-store/eventstoredb/protocol-buffers.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ProposedMessage } from './appending.js';

/** One message of the BatchAppend call. */
export interface BatchRequest {
  readonly correlation: string;
  /** Only with the first message of an append. */
  readonly options: streams.BatchAppendReq.Options | undefined;
  readonly messages: readonly ProposedMessage[];
  readonly isFinal: boolean;
}

/** Reads a `BatchAppendReq`: all but its options without the generated classes, which take several times as long. */
export function batchRequest(bytes: Buffer): BatchRequest {
  const request = new MessageReader(bytes);
  const messages: ProposedMessage[] = [];
  let correlation = '';
  let options: streams.BatchAppendReq.Options | undefined;
  let isFinal = false;
  for (let field = request.next(); field !== 0; field = request.next()) {
    if (field === 1) correlation = request.textOf(2);
    else if (field === 2) options = streams.BatchAppendReq.Options.deserializeBinary(request.bytesOf());
    else if (field === 3) messages.push(proposedMessage(request.message()));
    else if (field === 4) isFinal = request.number() === 1;
    else request.skip();
  }
  return { correlation, options, messages, isFinal };
}

function proposedMessage(message: MessageReader): ProposedMessage {
  const properties = new Map<string, string>();
  let id = '';
  let data: Buffer = Buffer.alloc(0);
  let metadata: Buffer = Buffer.alloc(0);
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) id = message.textOf(2);
    else if (field === 2) {
      const { key, value } = message.entry();
      properties.set(key, value);
    } else if (field === 3) metadata = message.bytesOf();
    else if (field === 4) data = message.bytesOf();
    else message.skip();
  }
  return { id, type: properties.get('type'), contentType: properties.get('content-type'), data, metadata };
}
