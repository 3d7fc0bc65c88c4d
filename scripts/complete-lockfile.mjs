/**
 * Adds to package-lock.json the optional packages for other platforms that npm omitted because its registry
 * did not have them. Without their entries `npm ci` refuses the lockfile, on every machine. Run it after
 * every `npm install` that changes the lockfile; it changes nothing if nothing is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'package-lock.json';
const SYSTEMS = /(darwin|linux|win32|freebsd|android|openharmony)(?:-(\w+))?/;
const PROCESSORS = new Set(['x64', 'arm64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64']);

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const added = [];
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isThere(place, name)) continue;
    const key = `node_modules/${name}`;
    lock.packages[key] = {
      version: range.replace(/^[\^~]/, ''),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...platformOf(name),
    };
    added.push(name);
  }
}
if (added.length > 0) {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(added.length === 0 ? 'Nothing is missing.' : `Added ${added.length}: ${added.join(', ')}`);

/** Whether Node.js finds the package from `place`: beside it or in a folder above. */
function isThere(place, name) {
  const folders = place
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, index + 1).join('/node_modules/'));
  return ['', ...folders].some((folder) => {
    const key = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    return lock.packages[key] !== undefined;
  });
}

/** The platform in the package's name; npm skips the package on others. */
function platformOf(name) {
  const base = name.split('/').at(-1);
  if (base.includes('wasm32')) return { cpu: ['wasm32'] };
  const [, system, processor] = SYSTEMS.exec(base) ?? [];
  const cpu = processor?.startsWith('arm') && !PROCESSORS.has(processor) ? 'arm' : processor;
  return { ...(system ? { os: [system] } : {}), ...(PROCESSORS.has(cpu) ? { cpu: [cpu] } : {}) };
}
