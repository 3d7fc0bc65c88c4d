/** The source of the current time; a parameter, so that tests can set the day. */
export interface Clock {
  now(): Date;
}
