import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client } from '../data/client.js';

interface UnitSelectProperties extends Omit<SelectProps, 'data' | 'onChange'> {
  /** Whether archived units can be chosen, whose people and records a list may still have. */
  readonly isWithArchived: boolean;
  readonly onChange: (id: string | null) => void;
}

/** Chooses an org unit, for users with the scope `org_units:read`. */
export function UnitSelect({ isWithArchived, ...properties }: UnitSelectProperties) {
  const units = useQuery({ queryKey: ['org-units'], queryFn: () => answerOf(client.GET('/org-units')) });
  const offered = (units.data?.data ?? []).filter(
    ({ archived_at: archivedAt }) => isWithArchived || archivedAt === null,
  );
  return <Select searchable {...properties} data={offered.map(({ id, name }) => ({ value: id, label: name }))} />;
}
