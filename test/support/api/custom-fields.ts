import { createCustomField, type NewCustomField } from '#organisation/custom-field/custom-field.api.js';
import type { CustomFieldRow } from '#organisation/custom-field/custom-field.js';
import { testContext } from '../command-services.js';
import { type ApiAnswer, type ApiClient, type SendOptions, tagOf } from './http-client.js';
import type { TestApi, TestOrganisation } from './test-api.js';
import type { Schemas } from './shapes.js';

export type PersonCustomFields = Schemas['PersonCustomFieldsResponse'];

/** The actions of an administrator on custom fields, and of a client on a person's values. */
export class CustomFieldActions {
  constructor(
    private readonly api: TestApi,
    private readonly organisation: TestOrganisation,
    private readonly caller: { readonly client: ApiClient } = organisation,
  ) {}

  /** Defines a text field that the API may write; `field` overrides its properties. */
  define(key: string, field: Partial<NewCustomField> = {}): Promise<CustomFieldRow> {
    const usual = {
      label: key,
      description: null,
      field_type: 'text',
      sensitivity: 'operational',
      api_access: 'read_write',
      display_order: 0,
      is_required: false,
      options: [],
    } as const;
    return createCustomField(this.api.services, testContext(this.organisation.row.id), { ...usual, key, ...field });
  }

  read(personId: string): Promise<ApiAnswer<PersonCustomFields>> {
    return this.caller.client.get<PersonCustomFields>(`/people/${personId}/custom-fields`);
  }

  /** Writes with the tag of a read right before, unless the options contain one. */
  async write(
    personId: string,
    values: readonly object[],
    options: SendOptions = {},
  ): Promise<ApiAnswer<PersonCustomFields>> {
    const ifMatch = 'ifMatch' in options ? options.ifMatch : tagOf(await this.read(personId));
    return this.caller.client.patch<PersonCustomFields>(
      `/people/${personId}/custom-fields`,
      { values },
      { ...options, ifMatch },
    );
  }
}
