import { Code } from '@mantine/core';
import type { Names } from '../data/use-names.js';

interface NamedProperties {
  readonly id: string;
  readonly names: Names;
}

/** A resource by its name, with the id while it is pointed at; by its id alone where it has no name. */
export function Named({ id, names }: NamedProperties) {
  const name = names.of(id);
  if (name === undefined && !names.isReading) return <Code>{id}</Code>;
  return <span title={id}>{name ?? '…'}</span>;
}
