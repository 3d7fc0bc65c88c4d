import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { withoutRepeats } from './licence-page.mjs';
import { namesOfNeeds, placeOfNeed, readLockfile, readPackages } from './lockfile.mjs';

const licences = new Contrib.License.Factories.LicenseFactory();
const { parsePackageIntegrity } = Contrib.FromNodePackageJson.Utils;

/**
 * The packages in production of a project's lockfile, as CycloneDX 1.6 in JSON. It has neither a time nor a
 * serial number, so the same lockfile gives the same bytes.
 * @param {string} root the project's directory
 * @returns {string}
 */
export function billOfMaterials(root) {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packages = readPackages(root).filter(({ isOfProduction }) => isOfProduction);
  const bom = new Models.Bom();
  const main = componentOf(
    { ...project, licence: project.license, integrity: null, isOptional: false },
    Enums.ComponentType.Application,
  );
  bom.metadata.component = main;
  const components = new Map(
    withoutRepeats(packages).map((entry) => [keyOf(entry), componentOf(entry, Enums.ComponentType.Library)]),
  );
  for (const component of components.values()) bom.components.add(component);

  const places = new Map(packages.map((entry) => [entry.place, entry]));
  const link = (component, place, needs) => {
    for (const name of needs) {
      const needed = placeOfNeed(place, name, places);
      if (needed !== null) component.dependencies.add(components.get(keyOf(places.get(needed))).bomRef);
    }
  };
  // The dependencies of the workspaces are dependencies of the program.
  const own = Object.entries(readLockfile(root).packages).filter(([place]) => !place.includes('node_modules'));
  for (const [place, entry] of own) link(main, place, namesOfNeeds(entry));
  for (const entry of packages) link(components.get(keyOf(entry)), entry.place, entry.needs);

  const serialiser = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serialiser.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function keyOf({ name, version }) {
  return `${name}@${version}`;
}

function componentOf({ name, version, licence, integrity, isOptional }, type) {
  const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${own}@${encodeURIComponent(version)}`;
  return new Models.Component(type, own, {
    group,
    version,
    bomRef: purl,
    purl,
    scope: isOptional ? Enums.ComponentScope.Optional : Enums.ComponentScope.Required,
    licenses: new Models.LicenseRepository([licences.makeFromString(licence)]),
    hashes: new Models.HashDictionary(integrity === null ? [] : [parsePackageIntegrity(integrity)]),
  });
}
