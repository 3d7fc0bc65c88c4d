import { runProgram } from './run-program.mjs';

/** Counts passes and failures: each check counts as one, each test as one. */
export class Tally {
  passed = 0;
  failed = 0;

  /** Runs checks side by side, each `{ name, command, fix }`; returns whether all of them passed. */
  async check(...checks) {
    const outcomes = await Promise.all(checks.map((check) => this.#checkOne(check)));
    return outcomes.every(Boolean);
  }

  /** Adds the counts of a lane of tests. */
  add({ lane, passed, failed, seconds }) {
    this.passed += passed;
    this.failed += failed;
    this.#say(failed === 0, `tests: ${lane}`, seconds, `${passed} passed, ${failed} failed`);
  }

  /** Prints the sums as the last line, and sets the exit code: 1 if anything failed. */
  end() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed === 0 ? 0 : 1;
  }

  async #checkOne({ name, command, fix }) {
    const { succeeded, seconds } = await runProgram(command);
    if (succeeded) this.passed += 1;
    else this.failed += 1;
    this.#say(succeeded, name, seconds, succeeded ? '' : fix);
    return succeeded;
  }

  #say(succeeded, name, seconds, more) {
    console.log(
      `${succeeded ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)${more === '' ? '' : `: ${more}`}`,
    );
  }
}
