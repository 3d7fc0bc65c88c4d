import { UsageError } from './command-error.js';

/**
 * One of the known words. Throws {@link UsageError} for another one, with the most similar known word.
 */
export function requireKnown<Known extends string>(noun: string, word: string, known: readonly Known[]): Known {
  const found = known.find((one) => one === word);
  if (found !== undefined) return found;
  const alike = closestMatch(word, known);
  const hint = alike === null ? `; there are ${known.join(', ')}.` : `: did you mean ${alike}?`;
  throw new UsageError(`There is no ${noun} ${word}${hint}`);
}

/**
 * The known words of a comma-separated list, each once; `all` in it stands for the words of `all`. Throws
 * {@link UsageError}.
 */
export function requireKnownList<Known extends string>(
  noun: string,
  list: string,
  known: readonly Known[],
  all: readonly Known[] = known,
): readonly Known[] {
  const words = list.split(',').map((word) => word.trim());
  const found = words.flatMap((word) => (word === '' ? [] : word === 'all' ? all : [requireKnown(noun, word, known)]));
  return [...new Set(found)];
}

/**
 * Returns the candidate with the fewest edits from the word; null if none has at least half of its letters in
 * common.
 */
function closestMatch(word: string, candidates: readonly string[]): string | null {
  const scored = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  const best = scored.reduce<(typeof scored)[number] | null>(
    (minimum, one) => (minimum === null || one.distance < minimum.distance ? one : minimum),
    null,
  );
  return best !== null && best.distance <= Math.max(word.length, best.candidate.length) / 2 ? best.candidate : null;
}

/** Returns the Levenshtein distance: letters inserted, deleted or replaced. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = previous[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous[other.length]!;
}
