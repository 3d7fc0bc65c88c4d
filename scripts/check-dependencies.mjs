/**
 * `node scripts/check-dependencies.mjs [DIRECTORY]`: reports problems of the dependencies of this project, or
 * of the one in the directory: versions of Node.js that a package refuses, licences, addresses in the
 * lockfile, pre-releases without an explanation on a page. Exits with 1 if there are any.
 */
import { join, resolve } from 'node:path';
import { problemsOfDependencies } from './dependencies/laws.mjs';

const problems = problemsOfDependencies(resolve(process.argv[2] ?? join(import.meta.dirname, '..')));
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
