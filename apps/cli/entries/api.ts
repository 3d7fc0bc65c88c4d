/** The entry of `nest start api`: runs `workforce api`. */
process.argv.splice(2, 0, 'api');
await import('../main.js');
