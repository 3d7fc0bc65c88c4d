import { commandLine } from './command-line.js';
import { helpLast } from './help-last.js';

const program = commandLine();
await program.parseAsync(helpLast(program, process.argv.slice(2)), { from: 'user' });
