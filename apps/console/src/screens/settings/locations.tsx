import { countryName } from '../../data/locale.js';
import type { SettingsRow } from './facts.js';
import { ResourceList } from './resource-list.js';
import { fieldLabel, useTexts } from './texts.js';

interface Location extends SettingsRow {
  readonly label: string;
  readonly city: string;
  readonly country_code: string;
  readonly capacity: number | null;
}

/** The places of the organisation. */
export function Locations() {
  const t = useTexts();
  const head = (field: string): string => fieldLabel(t, 'locations', field);
  return (
    <ResourceList<Location>
      kind="locations"
      form="locations"
      nameOf={({ label }) => label}
      columns={[
        { head: head('label'), cell: ({ label }) => label },
        { head: head('city'), cell: ({ city }) => city },
        { head: head('country_code'), cell: ({ country_code: code }) => countryName(code) },
        { head: head('capacity'), cell: ({ capacity }) => capacity },
      ]}
    />
  );
}
