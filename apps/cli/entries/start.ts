/** The entry of `nest start`: runs `workforce start`. */
process.argv.splice(2, 0, 'start');
await import('../main.js');
