import { commandLine } from './command-line.js';

await commandLine().parseAsync(process.argv);
