/** Where "now" comes from; handed in, so that tests can turn the day. */
export interface Clock {
  now(): Date;
}
