/**
 * Returns an OpenAPI document whose objects allow no property that is not listed. The published document lets
 * responses grow; the service itself sends nothing that its document does not list.
 */
export function closedDocument<Document>(document: Document): Document {
  return closed(document) as Document;
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isObjectSchema = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return isObjectSchema ? { additionalProperties: false, ...copy } : copy;
}
