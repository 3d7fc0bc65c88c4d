import type { ComponentType } from 'react';
import type { Session } from '../../data/session.js';

export type PartName =
  | 'organisation'
  | 'locations'
  | 'org-units'
  | 'working-patterns'
  | 'time-off-categories'
  | 'time-off-policy'
  | 'holidays'
  | 'custom-fields'
  | 'dictionaries'
  | 'provider-mappings';

/** A part of the settings. */
export interface Part {
  /** The last part of its address, and the key of its texts. */
  readonly name: PartName;
  readonly group: 'organisation' | 'timeOff' | 'records';
  /** Whether only administrators may change it. */
  readonly isForAdministrators?: true;
  /** Loads it on first use. */
  readonly load: () => Promise<ComponentType>;
}

/** Every part, in the order of their list. */
export const PARTS: readonly Part[] = [
  {
    name: 'organisation',
    group: 'organisation',
    isForAdministrators: true,
    load: () => import('./organisation.js').then(({ Organisation }) => Organisation),
  },
  {
    name: 'locations',
    group: 'organisation',
    isForAdministrators: true,
    load: () => import('./locations.js').then(({ Locations }) => Locations),
  },
  { name: 'org-units', group: 'organisation', load: () => import('./org-units.js').then(({ OrgUnits }) => OrgUnits) },
  {
    name: 'working-patterns',
    group: 'timeOff',
    load: () => import('./working-patterns.js').then(({ WorkingPatterns }) => WorkingPatterns),
  },
  {
    name: 'time-off-categories',
    group: 'timeOff',
    load: () => import('./categories.js').then(({ Categories }) => Categories),
  },
  {
    name: 'time-off-policy',
    group: 'timeOff',
    load: () => import('./time-off-policy.js').then(({ TimeOffPolicy }) => TimeOffPolicy),
  },
  {
    name: 'holidays',
    group: 'timeOff',
    load: () => import('../time-off/holidays.js').then(({ Holidays }) => Holidays),
  },
  {
    name: 'custom-fields',
    group: 'records',
    isForAdministrators: true,
    load: () => import('./custom-fields.js').then(({ CustomFields }) => CustomFields),
  },
  {
    name: 'dictionaries',
    group: 'records',
    isForAdministrators: true,
    load: () => import('./dictionaries.js').then(({ Dictionaries }) => Dictionaries),
  },
  {
    name: 'provider-mappings',
    group: 'records',
    isForAdministrators: true,
    load: () => import('./provider-mappings.js').then(({ ProviderMappings }) => ProviderMappings),
  },
];

/** The parts that a user with this role may change. */
export const partsFor = ({ role }: Pick<Session, 'role'>): readonly Part[] =>
  PARTS.filter(({ isForAdministrators }) => isForAdministrators !== true || role === 'administrator');
