/** A statement that each connection prepares once, with its values. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** A statement's text with every parameter moved up by so many places, to stand behind those of another one. */
export function movedBy(places: number, text: string): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + places}`);
}
