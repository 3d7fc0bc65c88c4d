/** The entry of `nest start worker`: runs `workforce worker`. */
process.argv.splice(2, 0, 'worker');
await import('../main.js');
