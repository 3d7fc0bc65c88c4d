import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * Reads docker-compose.yml like Compose, as far as this file needs: `${NAME}` of the environment, `$$`,
 * merged mappings.
 */
export function readCompose(root, environment) {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8').replaceAll(
    /\$\$|\$\{(\w+):?([-?])([^}]*)\}/g,
    (all, name, kind, rest) => {
      if (all === '$$') return '$';
      if (environment[name] !== undefined && environment[name] !== '') return environment[name];
      if (kind === '-') return rest;
      throw new Error(`${name}: ${rest}`);
    },
  );
  return parse(text, { merge: true });
}

/** The services in waves: each needs only those of earlier waves. */
export function startOrder(services) {
  const waves = [];
  const placed = new Set();
  while (placed.size < Object.keys(services).length) {
    const wave = Object.keys(services).filter(
      (name) => !placed.has(name) && Object.keys(services[name].depends_on ?? {}).every((needed) => placed.has(needed)),
    );
    if (wave.length === 0) throw new Error('depends_on goes in a circle');
    for (const name of wave) placed.add(name);
    waves.push(wave);
  }
  return waves;
}

/** `45s` in milliseconds. */
export function milliseconds(duration) {
  return Number(/^(\d+)s$/.exec(duration)[1]) * 1_000;
}
