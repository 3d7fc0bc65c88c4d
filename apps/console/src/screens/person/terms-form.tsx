import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client, type Schemas } from '../../data/client.js';
import { PersonSelect } from '../../ui/person-select.js';
import { issueOf } from '../../data/issue-of.js';

/** The terms of an employment as writes name them. */
export type Terms = Pick<
  Required<Schemas['ChangeEmploymentRequest']>,
  | 'job_title'
  | 'department_id'
  | 'manager_id'
  | 'work_place_id'
  | 'work_type_id'
  | 'working_pattern_id'
  | 'contracted_weekly_minutes'
  | 'full_time_weekly_minutes'
>;

export const NO_TERMS: Terms = {
  job_title: null,
  department_id: null,
  manager_id: null,
  work_place_id: null,
  work_type_id: null,
  working_pattern_id: null,
  contracted_weekly_minutes: null,
  full_time_weekly_minutes: null,
};

/** The terms that an employment or a segment shows. */
export function termsOf(shown: Pick<Schemas['EmploymentResponse'], keyof Schemas['EmploymentResponse'] & string>): Terms {
  return {
    job_title: shown.job_title,
    department_id: shown.department?.id ?? null,
    manager_id: shown.manager?.id ?? null,
    work_place_id: shown.work_place?.id ?? null,
    work_type_id: shown.work_type?.id ?? null,
    working_pattern_id: shown.working_pattern?.id ?? null,
    contracted_weekly_minutes: shown.contracted_weekly_minutes,
    full_time_weekly_minutes: shown.full_time_weekly_minutes,
  };
}

/** Only the terms that differ: what a write does not name carries forward. */
export function changedTerms(from: Terms, to: Terms): Partial<Terms> {
  return Object.fromEntries(Object.entries(to).filter(([name, value]) => value !== from[name as keyof Terms])) as Partial<Terms>;
}

interface TermsFieldsProperties {
  readonly value: Terms;
  readonly managerName: string | null;
  readonly onChange: (terms: Terms) => void;
  readonly error: Error | null;
}

/** Fields for all terms. Problems that the service finds are beside the field that they are about. */
export function TermsFields({ value, managerName, onChange, error }: TermsFieldsProperties) {
  const set = (change: Partial<Terms>): void => onChange({ ...value, ...change });
  const departments = useQuery({ queryKey: ['org-units'], queryFn: () => answerOf(client.GET('/org-units')) });
  const places = useQuery({ queryKey: ['work-places'], queryFn: () => answerOf(client.GET('/reference/work-places')) });
  const types = useQuery({ queryKey: ['work-types'], queryFn: () => answerOf(client.GET('/reference/work-types')) });
  const patterns = useQuery({ queryKey: ['working-patterns'], queryFn: () => answerOf(client.GET('/working-patterns')) });
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
        data={(departments.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={value.department_id}
        error={issueOf(error, 'department_id')}
        onChange={(chosen) => set({ department_id: chosen })}
      />
      <PersonSelect
        label="Manager"
        value={value.manager_id}
        valueName={managerName}
        error={issueOf(error, 'manager_id')}
        onChange={(chosen) => set({ manager_id: chosen })}
      />
      <Select
        label="Work place"
        searchable
        clearable
        data={optionsOf(places.data?.data)}
        value={value.work_place_id}
        error={issueOf(error, 'work_place_id')}
        onChange={(chosen) => set({ work_place_id: chosen })}
      />
      <Select
        label="Work type"
        clearable
        data={optionsOf(types.data?.data)}
        value={value.work_type_id}
        error={issueOf(error, 'work_type_id')}
        onChange={(chosen) => set({ work_type_id: chosen })}
      />
      <Select
        label="Working pattern"
        clearable
        data={optionsOf(patterns.data?.data)}
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

function optionsOf(rows: readonly { readonly id: string; readonly label: string }[] | undefined): { value: string; label: string }[] {
  return (rows ?? []).map(({ id, label }) => ({ value: id, label }));
}
