import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client } from '../../data/client.js';
import { PersonSelect } from '../../ui/person-select.js';
import { issueOf } from '../../data/issue-of.js';
import type { Terms } from './dated-terms.js';

interface TermsFieldsProperties {
  readonly value: Terms;
  /** The names of the references of terms, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly onChange: (terms: Terms) => void;
  readonly error: Error | null;
}

/** Fields for all terms. Each field shows the service's problems with it. */
export function TermsFields({ value, names, onChange, error }: TermsFieldsProperties) {
  const set = (change: Partial<Terms>): void => onChange({ ...value, ...change });
  const departments = useQuery({ queryKey: ['org-units'], queryFn: () => answerOf(client.GET('/org-units')) });
  const places = useQuery({ queryKey: ['work-places'], queryFn: () => answerOf(client.GET('/reference/work-places')) });
  const types = useQuery({ queryKey: ['work-types'], queryFn: () => answerOf(client.GET('/reference/work-types')) });
  const patterns = useQuery({
    queryKey: ['working-patterns'],
    queryFn: () => answerOf(client.GET('/working-patterns')),
  });
  const hours = (minutes: number | null): number | '' => (minutes === null ? '' : minutes / 60);
  const minutes = (typed: number | string): number | null => (typed === '' ? null : Math.round(Number(typed) * 60));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput
        label="Job title"
        value={value.job_title ?? ''}
        error={issueOf(error, 'job_title')}
        onChange={({ target }) => set({ job_title: target.value === '' ? null : target.value })}
      />
      <Select
        label="Department"
        searchable
        clearable
        data={optionsOf(
          departments.data?.data.map(({ id, name: label }) => ({ id, label })),
          value.department_id,
          names,
        )}
        value={value.department_id}
        error={issueOf(error, 'department_id')}
        onChange={(chosen) => set({ department_id: chosen })}
      />
      <PersonSelect
        label="Manager"
        value={value.manager_id}
        valueName={names.get(value.manager_id ?? '') ?? null}
        error={issueOf(error, 'manager_id')}
        onChange={(chosen) => set({ manager_id: chosen })}
      />
      <Select
        label="Work place"
        searchable
        clearable
        data={optionsOf(places.data?.data, value.work_place_id, names)}
        value={value.work_place_id}
        error={issueOf(error, 'work_place_id')}
        onChange={(chosen) => set({ work_place_id: chosen })}
      />
      <Select
        label="Work type"
        clearable
        data={optionsOf(types.data?.data, value.work_type_id, names)}
        value={value.work_type_id}
        error={issueOf(error, 'work_type_id')}
        onChange={(chosen) => set({ work_type_id: chosen })}
      />
      <Select
        label="Working pattern"
        clearable
        data={optionsOf(patterns.data?.data, value.working_pattern_id, names)}
        value={value.working_pattern_id}
        error={issueOf(error, 'working_pattern_id')}
        onChange={(chosen) => set({ working_pattern_id: chosen })}
      />
      <NumberInput
        label="Weekly hours"
        min={0}
        max={168}
        decimalScale={2}
        value={hours(value.contracted_weekly_minutes)}
        error={issueOf(error, 'contracted_weekly_minutes')}
        onChange={(typed) => set({ contracted_weekly_minutes: minutes(typed) })}
      />
      <NumberInput
        label="Full-time hours"
        min={0}
        max={168}
        decimalScale={2}
        value={hours(value.full_time_weekly_minutes)}
        error={issueOf(error, 'full_time_weekly_minutes')}
        onChange={(typed) => set({ full_time_weekly_minutes: minutes(typed) })}
      />
    </SimpleGrid>
  );
}

/** The choices and the current value: an archived work place may still be a person's. */
function optionsOf(
  rows: readonly { readonly id: string; readonly label: string }[] | undefined,
  chosen: string | null,
  names: ReadonlyMap<string, string>,
): { value: string; label: string }[] {
  const options = (rows ?? []).map(({ id, label }) => ({ value: id, label }));
  const isThere = chosen === null || options.some(({ value }) => value === chosen);
  return isThere ? options : [{ value: chosen, label: names.get(chosen) ?? chosen }, ...options];
}
