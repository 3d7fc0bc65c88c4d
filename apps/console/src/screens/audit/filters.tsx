import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client } from '../../data/client.js';
import { useMay } from '../../data/session.js';
import { plusDays, startOfDay } from '../../data/days.js';
import { PersonSelect } from '../../ui/person-select.js';

/** The state of the screen in the address. Days are of the organisation's time zone, `to` inclusive. */
export type AuditState = {
  view?: string;
  person?: string;
  actor?: string;
  by?: string;
  resource?: string;
  type?: string;
  from?: string;
  to?: string;
  values?: string;
};

/** The person of the report or the list, and the period. */
export function PersonAndDays() {
  const [state, change] = useAddress<AuditState>();
  const mayRead = useMay('people:read');
  return (
    <>
      {mayRead && <Person id={state.person ?? null} onChange={(person) => change({ person })} />}
      <TextInput
        label="Recorded from"
        type="date"
        value={state.from ?? ''}
        onChange={({ target }) => change({ from: target.value })}
      />
      <TextInput
        label="Until"
        type="date"
        value={state.to ?? ''}
        onChange={({ target }) => change({ to: target.value })}
      />
    </>
  );
}

interface PersonProperties {
  readonly id: string | null;
  readonly onChange: (id: string | undefined) => void;
}

function Person({ id, onChange }: PersonProperties) {
  const person = useQuery({
    queryKey: ['people', id],
    queryFn: () => answerOf(client.GET('/people/{personId}', { params: { path: { personId: id! } } })),
    enabled: id !== null,
  });
  return (
    <PersonSelect
      label="About"
      placeholder="All people"
      value={id}
      valueName={person.data?.data.display_name ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

interface ChoiceProperties {
  readonly label: string;
  readonly name: 'by' | 'resource';
  readonly options: readonly string[];
}

/** One of some kinds, or all. */
export function Choice({ label, name, options }: ChoiceProperties) {
  const [state, change] = useAddress<AuditState>();
  return (
    <Select
      label={label}
      placeholder="All"
      clearable
      searchable
      data={options.map((value) => ({ value, label: messageOf(value) }))}
      value={state[name] ?? null}
      onChange={(value) => change({ [name]: value ?? undefined })}
    />
  );
}

/** The days as instants of the API. */
export function instantsFrom({ from, to }: AuditState): { readonly from?: string; readonly to?: string } {
  return {
    ...(from === undefined ? {} : { from: startOfDay(from) }),
    ...(to === undefined ? {} : { to: startOfDay(plusDays(to, 1)) }),
  };
}

/** A name of the API in words: `working_pattern` is "working pattern". */
export const messageOf = (name: string): string => name.replaceAll('_', ' ');
