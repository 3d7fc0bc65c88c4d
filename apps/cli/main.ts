import { commandLine } from './command-line.js';
import { helpLast } from './help-last.js';
import { endOnSignals } from './serve/stop-signal.js';

endOnSignals();
const words = process.argv.slice(2);
const program = await commandLine(words);
await program.parseAsync(helpLast(program, words), { from: 'user' });
