/** Starts `server-process.ts` under plain node: the sources are turned into CommonJS as they are loaded. */
require('../typescript-require.cjs');
require('./server-process.ts').run();
