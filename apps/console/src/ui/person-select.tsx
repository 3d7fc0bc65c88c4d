import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../data/client.js';

interface PersonSelectProperties extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  readonly value: string | null;
  /** The name of the current person; shown until the user searches. */
  readonly valueName: string | null;
  readonly onChange: (id: string | null) => void;
}

const MAX_PEOPLE = 20;

/** Finds a person by the beginnings of their names. */
export function PersonSelect({ value, valueName, onChange, ...properties }: PersonSelectProperties) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 120);
  const found = useQuery({
    queryKey: ['people', 'found', q],
    queryFn: () =>
      answerOf(client.GET('/people', { params: { query: { limit: MAX_PEOPLE, ...(q === '' ? {} : { q }) } } })),
    placeholderData: keepPreviousData,
  });
  const options = (found.data?.data ?? []).map(({ id, display_name: label }) => ({ value: id, label }));
  const own =
    value !== null && !options.some((option) => option.value === value) ? [{ value, label: valueName ?? value }] : [];
  return (
    <Select
      {...properties}
      searchable
      clearable
      data={[...own, ...options]}
      // The service has searched.
      filter={({ options: all }) => all}
      value={value}
      onChange={onChange}
      onSearchChange={(text) => setTyped(text === valueName ? '' : text)}
      nothingFoundMessage={t(found.isFetching ? 'searching' : 'noMatch')}
    />
  );
}
