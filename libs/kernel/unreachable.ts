/** Ends a switch over a union: the compiler rejects the call where a member was left out. */
export function unreachable(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
