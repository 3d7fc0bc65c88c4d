/**
 * The same function, which does not compute anew what it is asked for twice in a row. Unlike a WeakMap it costs the garbage
 * collector nothing: a rebuild asks for a million streams, each a few times and never again.
 */
export function memoiseLast<Argument extends object, Result>(compute: (argument: Argument) => Result): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | null = null;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
