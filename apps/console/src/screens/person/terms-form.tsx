import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client } from '../../data/client.js';
import { PersonSelect } from '../../ui/person-select.js';
import { issueOf } from '../../data/issue-of.js';
import { NO_TERMS, type Terms } from './dated-terms.js';

/** The terms in the order of the form. */
export const TERMS = Object.keys(NO_TERMS) as readonly (keyof Terms)[];

/** The label of each term. */
export const LABELS: Readonly<Record<keyof Terms, string>> = {
  job_title: 'Job title',
  department_id: 'Department',
  manager_id: 'Manager',
  work_place_id: 'Work place',
  work_type_id: 'Work type',
  working_pattern_id: 'Working pattern',
  contracted_weekly_minutes: 'Weekly hours',
  full_time_weekly_minutes: 'Full-time hours',
};

/** A list from which a term is chosen. */
interface Reference {
  readonly queryKey: string;
  readonly read: () => Promise<{
    readonly data: readonly { readonly id: string; readonly name?: string; readonly label?: string }[];
  }>;
}

const REFERENCES = {
  department_id: { queryKey: 'org-units', read: () => answerOf(client.GET('/org-units')) },
  work_place_id: { queryKey: 'work-places', read: () => answerOf(client.GET('/reference/work-places')) },
  work_type_id: { queryKey: 'work-types', read: () => answerOf(client.GET('/reference/work-types')) },
  working_pattern_id: { queryKey: 'working-patterns', read: () => answerOf(client.GET('/working-patterns')) },
} as const satisfies Partial<Record<keyof Terms, Reference>>;

interface TermsFieldsProperties {
  readonly value: Terms;
  /** The names of the references of terms, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly onChange: (terms: Terms) => void;
  readonly error: Error | null;
}

/** Fields for all terms. Each field shows the service's problems with it. */
export function TermsFields({ value, names, onChange, error }: TermsFieldsProperties) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {TERMS.map((term) => (
        <TermField key={term} term={term} value={value} names={names} onChange={onChange} error={error} />
      ))}
    </SimpleGrid>
  );
}

interface TermFieldProperties extends TermsFieldsProperties {
  readonly term: keyof Terms;
}

/** The field of one term. */
export function TermField({ term, value, names, onChange, error }: TermFieldProperties) {
  const set = (chosen: string | number | null): void => onChange({ ...value, [term]: chosen });
  const properties = { label: LABELS[term], error: issueOf(error, term) };
  if (term === 'job_title')
    return (
      <TextInput
        {...properties}
        value={value.job_title ?? ''}
        onChange={({ target }) => set(target.value === '' ? null : target.value)}
      />
    );
  if (term === 'manager_id')
    return (
      <PersonSelect
        {...properties}
        value={value.manager_id}
        valueName={names.get(value.manager_id ?? '') ?? null}
        onChange={set}
      />
    );
  if (term === 'contracted_weekly_minutes' || term === 'full_time_weekly_minutes') {
    const minutes = value[term];
    return (
      <NumberInput
        {...properties}
        min={0}
        max={168}
        decimalScale={2}
        value={minutes === null ? '' : minutes / 60}
        onChange={(typed) => set(typed === '' ? null : Math.round(Number(typed) * 60))}
      />
    );
  }
  return (
    <ReferenceField {...properties} reference={REFERENCES[term]} value={value[term]} names={names} onChange={set} />
  );
}

interface ReferenceFieldProperties {
  readonly label: string;
  readonly error: string | undefined;
  readonly reference: Reference;
  readonly value: string | null;
  readonly names: ReadonlyMap<string, string>;
  readonly onChange: (id: string | null) => void;
}

function ReferenceField({ reference: { queryKey, read }, value, names, ...properties }: ReferenceFieldProperties) {
  const { data } = useQuery({ queryKey: [queryKey], queryFn: read });
  return <Select {...properties} searchable clearable data={optionsOf(data?.data, value, names)} value={value} />;
}

/** The choices and the current value: an archived work place may still be a person's. */
function optionsOf(
  rows: Awaited<ReturnType<Reference['read']>>['data'] | undefined,
  chosen: string | null,
  names: ReadonlyMap<string, string>,
): { value: string; label: string }[] {
  const options = (rows ?? []).map(({ id, name, label }) => ({ value: id, label: name ?? label ?? id }));
  const isThere = chosen === null || options.some(({ value }) => value === chosen);
  return isThere ? options : [{ value: chosen, label: names.get(chosen) ?? chosen }, ...options];
}
