/**
 * Characters that could change how the text around them is shown or read: C1 controls, and marks that are
 * invisible or change the direction of text (Unicode Standard Annex #9).
 */
const MISLEADING = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/**
 * Returns JSON with every misleading character escaped. It still means the same value. What people typed into
 * names and notes then reaches a model as a visible escape, and never as a mark that it or a person cannot
 * see.
 */
export function plainJson(json: string): string {
  return escaped(json, '\\u');
}

/**
 * Returns the value of JSON, in which the texts have a visible escape in place of every misleading character:
 * a client writes the value as JSON again, without what {@link plainJson} escaped.
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
