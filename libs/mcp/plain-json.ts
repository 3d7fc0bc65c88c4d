/**
 * Characters that could change the display or the reading of the surrounding text: C1 controls, and marks
 * that are invisible or change the direction of text (Unicode Standard Annex #9).
 */
const MISLEADING = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/**
 * Returns JSON with every misleading character escaped. Its value is the same. Text that people typed then
 * reaches a model with visible escapes, and never with an invisible mark.
 */
export function plainJson(json: string): string {
  return escaped(json, '\\u');
}

/**
 * Returns the value of JSON, whose texts contain a visible escape in place of every misleading character: a
 * client writes the value as JSON again, without the escapes of {@link plainJson}.
 */
export function plainValue(json: string): unknown {
  return JSON.parse(escaped(json, '\\\\u'));
}

function escaped(json: string, mark: string): string {
  return json.replace(MISLEADING, (characters) =>
    [...Array(characters.length).keys()]
      .map((at) => `${mark}${characters.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
