/** What is asked for, again and again. Reads are asked for in random order; writes take their targets in turn. */
export interface Load {
  /** With the port, without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
  readonly work: Reads | ToolReads | Patches | NewPeople | NewTimeOff;
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number;
}

interface Reads {
  readonly kind: 'reads';
  readonly paths: readonly string[];
}

/** Reads of these people by the tool `read_person` of the endpoint for AI clients. */
interface ToolReads {
  readonly kind: 'tool-reads';
  readonly personIds: readonly string[];
}

/** Changes of people, each with the entity tag that the last answer gave. No two requests in progress name the same person. */
interface Patches {
  readonly kind: 'patches';
  readonly paths: readonly string[];
}

/** New people, each with an address of their own. */
interface NewPeople {
  readonly kind: 'people';
  readonly path: string;
  /** Begins the addresses, so that two loads have none in common. */
  readonly name: string;
}

/** Single days off: the first day for each of these people in turn, then the next day, so that none overlaps another one. */
interface NewTimeOff {
  readonly kind: 'time-off';
  readonly path: string;
  readonly categoryId: string;
  readonly personIds: readonly string[];
  readonly days: readonly string[];
}

/** What came of a run. */
export interface Throughput {
  readonly requests: number;
  readonly seconds: number;
  readonly bytesPerAnswer: number;
  /** Milliseconds. */
  readonly median: number;
  readonly percentile99: number;
  readonly longest: number;
  /** Processor time of the generator itself, in microseconds a request. */
  readonly generator: number;
}
