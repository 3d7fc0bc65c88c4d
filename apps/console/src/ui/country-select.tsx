import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client } from '../data/client.js';
import { countryName, currentLocale } from '../data/locale.js';

/** Chooses a country by its name in the language of the page; its value is the code of ISO 3166-1. */
export function CountrySelect(properties: Omit<SelectProps, 'data'>) {
  const countries = useQuery({
    queryKey: ['countries'],
    queryFn: () => answerOf(client.GET('/reference/countries')),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const data = (countries.data?.data ?? []).map(({ country_code: code }) => ({
    value: code,
    label: countryName(code),
  }));
  return (
    <Select
      searchable
      {...properties}
      data={data.sort((one, other) => one.label.localeCompare(other.label, currentLocale()))}
    />
  );
}
