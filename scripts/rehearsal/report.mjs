/** The results of the rehearsal, printed as they arrive and counted at the end. */
export class Report {
  #failed = 0;
  #held = 0;

  note(who, what, detail) {
    console.log(`      ${who.padEnd(22)} ${what}: ${detail}`);
  }

  expect(who, what, holds, detail = '') {
    if (!holds) return this.fail(who, what, detail);
    this.#held += 1;
    console.log(`ok    ${who.padEnd(22)} ${what}${detail === '' ? '' : `: ${detail}`}`);
  }

  fail(who, what, detail) {
    this.#failed += 1;
    console.log(`FAIL  ${who.padEnd(22)} ${what}: ${detail}`);
  }

  /** The last line, and the exit code. */
  print() {
    console.log(`${this.#held} held, ${this.#failed} failed`);
    return this.#failed === 0 ? 0 : 1;
  }
}
