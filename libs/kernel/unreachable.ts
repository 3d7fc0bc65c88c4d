/** Ends a switch over a union: the compiler rejects the call if a member is missing. */
export function unreachable(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
