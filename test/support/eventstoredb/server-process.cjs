/**
 * Starts `server-process.ts` in plain Node.js: the sources are compiled to CommonJS while they are loaded.
 */
require('../typescript-require.cjs');
require('./server-process.ts').run();
