import { IN_FLIGHT } from '../benches/webhooks/stage.js';
import type { Options } from '../options.js';
import { RECORDS } from '../time-off-history.js';
import { count } from './table.js';

/** How the figures of a run came about, in sentences for the page. */
export function methodOf({ people, runs, rounds, scale, seconds, warmUp }: Options): readonly string[] {
  const share = scale === 1 ? '' : `, all numbers of requests times ${scale}`;
  return [
    ...(runs === 1
      ? []
      : [
          `Everything was measured ${runs} times, each time from fresh databases on. A line is that of the run with the middle figure; “Each run” has the figures of all, in their order: of the ratio where the goal is one, otherwise of what the goal names.`,
        ]),
    'A ratio is processor time: what a request costs the bare server, over what it costs the product. 1 means as cheap as bare; below 1 the product costs more. It is user and system time of all processes of a side, read from `/proc`: the program that `npm start` runs (API, sandbox, worker and operations in one process) and PostgreSQL with its backends and background processes, for the bare server its process and a PostgreSQL of its own with the same settings. What the processes of a side use at rest, the least of five spans of 5 s before the first load, is taken off. A second after each round counts, so that catch-up is in it; checkpoints and autovacuum count where they fall into a round.',
    `Both sides are loaded in turns, ${rounds} rounds each with a set number of requests; the ratio is the median of the rounds' ratios (lowest–highest beside it), absolute figures are medians. Before the first round, each side has answered 10,000 reads (lists: 2,000) or 3,000 writes of the kind${share}.`,
    'The product is started as `npm start` starts it, with the embedded PostgreSQL, the worker and its log at level info, which goes to a file. Only the budgets of requests are raised, because the load would use them up.',
    'The bare server is Fastify without schema, logger or check. A read is one prepared statement that returns stored JSON text, which is sent as it is: of one person, of a hundred joined, of a person’s beliefs that hold on a day. Its rows are as long as the product’s. A write is one prepared statement that inserts all rows, which is a transaction of its own: rows as long as the event and the receipt; for a new person, as long as all rows that the product stores. Its tables have a primary key each and no other index.',
    'Lines that end in “over a transaction” compare the same rounds of the product with a bare write of the same rows in four messages: begin, an insert of the event, an insert of the receipt, commit. The goals for writes were set against such a transaction. One statement that inserts both rows costs little more than half of that, so it is the stricter baseline; the same goal stands beside it.',
    'Both have the same number of database connections (16). The load generator is a process of its own that writes requests on raw sockets and reads answers by their content length; its processor time is among the remarks and in no ratio. Reads come over 16 connections, in random order over all people or pages; the cursors of pages are collected before by walking each list once.',
    `${count(people)} people with three facts of employment each. A PATCH carries the entity tag of the last answer and an Idempotency-Key of its own, and is answered when its event is on the disk; so is a POST, without If-Match. Each number of writers has a third of the people and the same number of requests, so that streams of equal length are compared. With time off, everybody has ${RECORDS} records over two years; lists are of the seven full quarters.`,
    `Two organisations: one process has both, each with a load generator of its own. One writer of the first sends PATCHes alone for ${seconds} s, then beside the writers of the second, who have as many requests in flight as a batch takes. What it waits longer is for the processor as well as for batches.`,
    `Webhooks: API, worker (as \`workforce worker\` runs it, wake signals through PostgreSQL), receiver and the process that appends or writes run separately. Rounds of ${seconds} s after ${warmUp} s of warm-up. Events are appended so that at most ${IN_FLIGHT} are on their way to an endpoint. The bare sender posts what the worker would, signed, over as many connections, without a database. Each delivery counts when it is recorded as delivered; statements are all that the worker's connections sent, begins and commits too.`,
    'A rebuild includes everything from the first event to the swap: folding, COPY, all indexes and constraints, hashes of the old and the new tables. Events are hashed, chained and sealed as the product writes them. Per core-second is events over processor time of the process and PostgreSQL together.',
    'EventStoreDB over PostgreSQL: the same work with events in either store, in turns, each run in a new process whose start is left out; a rebuild is of the same events. The ratio is of rates. EventStoreDB is the test server of this project, on the same machine: it takes more processor time for an event than a real one, and none of it is in the processor times beside the rates.',
    'Not measured here: a real EventStoreDB, several API processes, a network between the parts.',
  ];
}
