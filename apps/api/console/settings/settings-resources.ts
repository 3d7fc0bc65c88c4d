import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ListField, partialOf, TextField } from '#http/fields.js';
import { requestFields, type ShapeFields, shapeOf } from '#http/fields/plain-fields.js';
import type { ShapeClass } from '#http/fields/shape.js';
import type { CreationCursor } from '#http/pages.js';
import { defineFields, type FieldList, type PlainFields } from '#kernel/field-list.js';
import { MAX_NAME_LENGTH, nameKey, normaliseName } from '#kernel/names.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import {
  ChangeCustomField,
  CreateCustomField,
  type CustomFieldUpdate,
  type NewCustomField,
} from '#organisation/custom-field/custom-field.api.js';
import { CUSTOM_FIELD } from '#organisation/custom-field/custom-field.rules.js';
import { customFieldTable, MAX_OPTION_VALUE, MAX_OPTIONS } from '#organisation/custom-field/custom-field.js';
import { ChangeEntry, FindOrCreateEntries } from '#organisation/dictionary/dictionary.api.js';
import {
  DICTIONARY_ENTRY,
  type DictionaryName,
  type DictionaryTable,
  documentTypeTable,
  workPlaceTable,
  workTypeTable,
} from '#organisation/dictionary/dictionary.js';
import { ChangeLocation, CreateLocation } from '#organisation/location/location.api.js';
import { LOCATION, type Location, locationTable } from '#organisation/location/location.js';
import {
  ChangeProviderMapping,
  CreateProviderMapping,
  RemoveProviderMapping,
} from '#payroll/provider-mapping/provider-mapping.api.js';
import {
  findProviderMapping,
  listProviderMappings,
  type MappingTerms,
  PROVIDER_MAPPING,
  type ProviderMapping,
  RESOURCE_TYPES,
} from '#payroll/provider-mapping/provider-mapping.js';
import type { Executor } from '#projections/projection.js';

/** A row of a settings resource: all rows have an id, and the revision that `If-Match` names. */
export interface SettingsRow {
  readonly id: string;
  readonly revision: number;
  readonly created_at: Date;
}

/** Sends a command of the signed-in user. */
export type SendCommand = <Result>(commandOf: (context: CommandContext) => Command<Result>) => Promise<Result>;

/** A command of one resource; `ifMatch`: the entity tags of the form's data, null for any. */
type Change = (send: SendCommand, id: string, ifMatch: readonly string[] | null) => Promise<unknown>;

/**
 * A kind of resource that is managed in the product settings: the contract does not let API keys write it.
 * The console sends the same commands as the command line.
 */
export interface SettingsResource {
  /** The body of a creation. */
  readonly newBody: ShapeClass;
  /** The body of a change: any of the fields that may change. */
  readonly changeBody: ShapeClass;
  /** All rows, or a page of them if the kind has pages. */
  readonly list: (executor: Executor, organisationId: string, page: Page) => Promise<readonly SettingsRow[]>;
  readonly isPaged: boolean;
  /** The row; null if there is none, or it was removed. */
  readonly find: (executor: Executor, organisationId: string, id: string) => Promise<SettingsRow | null>;
  /** Resolves to the id of the new resource. */
  readonly create: (send: SendCommand, values: object) => Promise<string>;
  readonly change: (...of: [...Parameters<Change>, changes: object]) => Promise<unknown>;
  /** The changes without values, by the last part of their path. */
  readonly steps: Readonly<Record<string, Change>>;
}

interface Page {
  readonly after: CreationCursor | null;
  readonly count: number;
}

class OptionRequest {
  @TextField({ minimumLength: 1, maximumLength: MAX_OPTION_VALUE })
  readonly value!: string;
  @TextField({ minimumLength: 1, maximumLength: MAX_NAME_LENGTH })
  readonly label!: string;
}

/** Every kind, by the part of the path that names it. */
export const SETTINGS_RESOURCES: Readonly<Record<string, SettingsResource>> = {
  locations: {
    ...bodiesOf(LOCATION),
    ...readsOf(locationTable),
    create: async (send, values) =>
      (await send((context) => new CreateLocation(context, { ...LOCATION.initial, ...values } as Location))).id,
    change: (send, id, ifMatch, changes) =>
      send((context) => new ChangeLocation(context, id, { type: 'change', changes }, ifMatch)),
    steps: {
      archive: (send, id, ifMatch) =>
        send((context) => new ChangeLocation(context, id, { type: 'deactivate' }, ifMatch)),
      reactivate: (send, id, ifMatch) =>
        send((context) => new ChangeLocation(context, id, { type: 'reactivate' }, ifMatch)),
    },
  },
  'work-places': dictionary('work_places', workPlaceTable),
  'work-types': dictionary('work_types', workTypeTable),
  'document-types': dictionary('document_types', documentTypeTable),
  'custom-fields': {
    ...bodiesOf(CUSTOM_FIELD, {
      options: ListField(() => OptionRequest, { maximumItems: MAX_OPTIONS, optional: true }),
    }),
    ...readsOf(customFieldTable),
    create: async (send, values) =>
      (
        await send(
          (context) => new CreateCustomField(context, { ...CUSTOM_FIELD.initial, ...values } as NewCustomField),
        )
      ).id,
    change: (send, id, ifMatch, changes) =>
      send((context) => new ChangeCustomField(context, id, changes as CustomFieldUpdate, ifMatch)),
    steps: {},
  },
  'provider-mappings': {
    ...bodiesOf(PROVIDER_MAPPING),
    list: (executor, organisationId, page) =>
      listProviderMappings(executor, { organisationId, providerName: null, resourceTypes: RESOURCE_TYPES, ...page }),
    isPaged: true,
    find: findProviderMapping,
    create: async (send, values) =>
      (
        await send(
          (context) =>
            new CreateProviderMapping(context, { ...PROVIDER_MAPPING.initial, ...values } as ProviderMapping),
        )
      ).id,
    change: (send, id, ifMatch, changes) =>
      send((context) => new ChangeProviderMapping(context, id, changes as Partial<MappingTerms>, ifMatch)),
    steps: { remove: (send, id) => send((context) => new RemoveProviderMapping(context, id)) },
  },
};

function dictionary(name: DictionaryName, table: DictionaryTable): SettingsResource {
  const step =
    (type: 'deactivate' | 'reactivate'): Change =>
    (send, id, ifMatch) =>
      send((context) => new ChangeEntry(context, name, id, { type }, ifMatch));
  return {
    ...bodiesOf(DICTIONARY_ENTRY),
    ...readsOf(table),
    create: async (send, values) => {
      const { label } = values as { readonly label: string };
      const entry = (await send((context) => new FindOrCreateEntries(context, name, [label]))).get(nameKey(label))!;
      if (entry.created) return entry.id;
      const state = entry.isArchived ? ', which is not active' : '';
      throw new RejectedError(conflict('label', `there is an entry ${entry.name} already${state}`));
    },
    change: async (send, id, ifMatch, changes) => {
      const { label } = changes as { readonly label?: string };
      if (label === undefined) return;
      await send(
        (context) => new ChangeEntry(context, name, id, { type: 'relabel', label: normaliseName(label) }, ifMatch),
      );
    },
    steps: { archive: step('deactivate'), reactivate: step('reactivate') },
  };
}

function readsOf(table: {
  readonly find: SettingsResource['find'];
  readonly list: (executor: Executor, organisationId: string) => Promise<readonly SettingsRow[]>;
}): Pick<SettingsResource, 'list' | 'find' | 'isPaged'> {
  return { list: table.list, find: table.find, isPaged: false };
}

/** The bodies of a creation and of a change, from the list of fields of the kind. */
export function bodiesOf(
  list: FieldList,
  replaced: ShapeFields = {},
): Pick<SettingsResource, 'newBody' | 'changeBody'> {
  const changeable: PlainFields = Object.fromEntries(
    Object.entries(list.fields).filter(([, { isFixed }]) => isFixed !== true),
  );
  return {
    newBody: shapeOf(requestFields(list, {}, replaced)),
    changeBody: partialOf(shapeOf(requestFields(defineFields(changeable), {}, replaced))),
  };
}
