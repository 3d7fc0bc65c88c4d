const Module = require('node:module');
const { readFileSync, existsSync } = require('node:fs');
const path = require('node:path');
const { transformSync } = require('@swc/core');

/** Jest's global set-up runs outside Jest's module system; this lets it load the sources as tests do. */
const root = path.resolve(__dirname, '..', '..');
const applications = new Set(['api', 'worker', 'cli']);
const options = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'commonjs' },
  jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
};

function sourceOf(request, parent) {
  const alias = /^#([a-z-]+)\/(.*)\.js$/.exec(request);
  if (alias) return path.join(root, applications.has(alias[1]) ? 'apps' : 'libs', alias[1], `${alias[2]}.ts`);
  if (/^\.{1,2}\/.*\.js$/.test(request) && parent?.filename?.endsWith('.ts')) {
    return path.resolve(path.dirname(parent.filename), request.replace(/\.js$/, '.ts'));
  }
  return null;
}

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolve(request, parent, ...rest) {
  const source = sourceOf(request, parent);
  return source !== null && existsSync(source) ? source : resolveFilename.call(this, request, parent, ...rest);
};

require.extensions['.ts'] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
};
