/**
 * Returns a function that caches its latest result and returns it again for the same argument. Unlike a
 * WeakMap it costs the garbage collector nothing: a rebuild passes a million streams, each a few times and
 * never again.
 */
export function memoiseLast<Argument extends object, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | null = null;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
