import parse from 'spdx-expression-parse';

/**
 * Licences (SPDX) that any production package may have: they require only that their text and a notice are
 * included.
 */
export const ALLOWED_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PostgreSQL',
  'Unlicense',
];

/** Other licences of production packages, each for one package and with the reason. */
export const REASONED_LICENCES = [
  {
    name: 'argparse',
    licence: 'PSF-2.0',
    reason:
      'The licence of Python, from which the package was translated. It is permissive: it asks for its text, its ' +
      'copyright notice and a summary of changes.',
  },
  {
    name: 'date-holidays',
    licence: 'CC-BY-3.0',
    reason:
      'The data of the holidays, not the code. Its `LICENSE` calls the same data CC BY-SA 3.0, so the stricter of ' +
      'the two is followed: the program uses the data unchanged and gives none of them out but names and days; an ' +
      'image contains the package whole, with its attributions in `LICENSE` and `data/`. If you change the data and ' +
      'pass them on, publish them under CC BY-SA 3.0.',
  },
];

/**
 * Whether {@link ALLOWED_LICENCES} or {@link REASONED_LICENCES} allow the licence of a production package. Of
 * an `OR` one side must be allowed, of an `AND` both. Throws for a text that is not an SPDX expression.
 */
export function isAllowed({ name, licence }) {
  return licence !== null && accepts(parse(licence), name);
}

function accepts(expression, name) {
  if (expression.conjunction === 'or') return accepts(expression.left, name) || accepts(expression.right, name);
  if (expression.conjunction === 'and') return accepts(expression.left, name) && accepts(expression.right, name);
  const licence =
    expression.exception === undefined ? expression.license : `${expression.license} WITH ${expression.exception}`;
  return (
    ALLOWED_LICENCES.includes(licence) ||
    REASONED_LICENCES.some((reasoned) => reasoned.name === name && reasoned.licence === licence)
  );
}
