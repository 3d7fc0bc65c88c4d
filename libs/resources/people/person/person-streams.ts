/** Where a person's identity is recorded. */
export function personStream(organisationId: string, personId: string): string {
  return `person-${organisationId}.${personId}`;
}

/** Where a person's employment is recorded. */
export function employmentStream(organisationId: string, personId: string): string {
  return `employment-${organisationId}.${personId}`;
}
