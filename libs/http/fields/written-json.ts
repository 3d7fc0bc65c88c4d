/**
 * An answer's object that the database wrote as JSON already, for reads whose cost is the making of it. Its text goes out
 * as it is, so a spec must hold what writes it against the response class, member by member.
 */
export class WrittenJson {
  constructor(readonly text: string) {}
}
