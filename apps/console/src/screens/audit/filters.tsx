import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { plusDays, startOfDay } from '../../data/days.js';
import { readFromConsole, useMay } from '../../data/session.js';
import { useNames } from '../../data/use-names.js';
import { PersonSelect } from '../../ui/person-select.js';
import type { Actor } from './actor-text.js';

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

/** The filters of the activity, which a user may save. */
export const FILTERS = ['person', 'actor', 'by', 'resource', 'type', 'from', 'to'] as const;

/** The person of the report or the list, and the period. */
export function PersonAndDays() {
  const { t } = useTranslation('audit');
  const [state, change] = useAddress<AuditState>();
  const mayRead = useMay('people:read');
  return (
    <>
      {mayRead && <Person id={state.person ?? null} onChange={(person) => change({ person })} />}
      <TextInput
        label={t('recordedFrom')}
        type="date"
        value={state.from ?? ''}
        onChange={({ target }) => change({ from: target.value })}
      />
      <TextInput
        label={t('until')}
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
  const { t } = useTranslation('audit');
  const names = useNames([id]);
  return (
    <PersonSelect
      label={t('about')}
      placeholder={t('allPeople')}
      value={id}
      valueName={names.of(id ?? '') ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** Who or what recorded the events, by name. */
export function ActorFilter() {
  const { t } = useTranslation('audit');
  const [state, change] = useAddress<AuditState>();
  const actors = useQuery({
    queryKey: ['audit-actors'],
    queryFn: () => readFromConsole<readonly Actor[]>('/console/audit/actors'),
  });
  const options = (actors.data ?? []).map(({ type, id, name }) => ({
    value: id,
    label: type === 'user' ? (name ?? id) : `${name ?? id} (${t(`actors.${type}`)})`,
  }));
  const own =
    state.actor !== undefined && !options.some(({ value }) => value === state.actor)
      ? [{ value: state.actor, label: state.actor }]
      : [];
  return (
    <Select
      label={t('actor')}
      placeholder={t('anyActor')}
      clearable
      searchable
      data={[...own, ...options]}
      value={state.actor ?? null}
      onChange={(actor) => change({ actor: actor ?? undefined })}
    />
  );
}

interface ChoiceProperties {
  readonly label: string;
  readonly name: 'by' | 'resource';
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** One of some kinds, or all. */
export function Choice({ label, name, options }: ChoiceProperties) {
  const { t } = useTranslation('audit');
  const [state, change] = useAddress<AuditState>();
  return (
    <Select
      label={label}
      placeholder={t('all')}
      clearable
      searchable
      data={options}
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
