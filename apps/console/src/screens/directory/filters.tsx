import { Button, Group, Popover, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';
import { useMay } from '../../data/session.js';
import { AsOfFields } from '../../ui/as-of-fields.js';
import { UnitSelect } from '../../ui/unit-select.js';
import { moveFocus } from './move-focus.js';
import { type DirectoryState, sortOf, SORTS } from './query.js';

const PAUSE_AFTER_TYPING = 120;

interface FiltersProperties {
  readonly state: DirectoryState;
  readonly change: (change: { readonly [Name in keyof DirectoryState]?: DirectoryState[Name] | undefined }) => void;
  /** Whether the filters are in a panel of their own, behind a button. */
  readonly isNarrow: boolean;
}

/** The search and the filters of the directory, in one row. */
export function Filters({ state, change, isNarrow }: FiltersProperties) {
  const { t } = useTranslation('directory');
  const fields = <FilterFields state={state} change={change} isNarrow={isNarrow} />;
  return (
    <Group align="flex-end" gap="sm" wrap={isNarrow ? 'nowrap' : 'wrap'}>
      <Search q={state.q ?? ''} onSearch={(q) => change({ q: q === '' ? undefined : q })} isNarrow={isNarrow} />
      {isNarrow ? (
        <Popover position="bottom-end" width={300} withinPortal={false} trapFocus>
          <Popover.Target>
            <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />}>
              {t('filters')}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Stack gap="sm">{fields}</Stack>
          </Popover.Dropdown>
        </Popover>
      ) : (
        fields
      )}
    </Group>
  );
}

interface SearchProperties {
  readonly q: string;
  readonly onSearch: (q: string) => void;
  readonly isNarrow: boolean;
}

/** The search field. A key stroke renders it alone; the list follows after a pause. */
function Search({ q, onSearch, isNarrow }: SearchProperties) {
  const { t } = useTranslation('directory');
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const search = useDebouncedCallback((text: string) => onSearch(text.trim()), PAUSE_AFTER_TYPING);
  useHotkeys([['/', () => field.current?.focus()]]);
  // The address changes by Back, and by a saved view.
  useEffect(() => setTyped((former) => (former.trim() === q ? former : q)), [q]);
  return (
    <TextInput
      ref={field}
      type="search"
      label={t('search')}
      placeholder={t('searchPlaceholder')}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={isNarrow ? undefined : <kbd aria-hidden>/</kbd>}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        search(target.value);
      }}
      onKeyDown={(event) => event.key === 'ArrowDown' && moveFocus(event, 1)}
      {...(isNarrow ? { flex: 1 } : { w: 220 })}
    />
  );
}

function FilterFields({ state, change, isNarrow }: FiltersProperties) {
  const { t } = useTranslation('directory');
  const [mayUnits, mayPlaces] = [useMay('org_units:read'), useMay('reference:read')];
  const places = useQuery({
    queryKey: ['work-places'],
    queryFn: () => answerOf(client.GET('/reference/work-places')),
    enabled: mayPlaces,
  });
  const width = (pixels: number) => (isNarrow ? {} : { w: pixels });
  return (
    <>
      {mayUnits && (
        <UnitSelect
          label={t('department')}
          placeholder={t('all')}
          isWithArchived
          clearable
          value={state.department ?? null}
          onChange={(department) =>
            change({ department: department ?? undefined, ...(department === null ? { units: undefined } : {}) })
          }
          {...width(170)}
        />
      )}
      {state.department !== undefined && (
        <Switch
          label={t('withUnitsBelow')}
          checked={state.units === 'true'}
          onChange={({ target }) => change({ units: target.checked ? 'true' : undefined })}
          pb={8}
        />
      )}
      {mayPlaces && (
        <Select
          label={t('workPlace')}
          placeholder={t('all')}
          clearable
          data={(places.data?.data ?? []).map(({ id, label }) => ({ value: id, label }))}
          value={state.place ?? null}
          onChange={(place) => change({ place: place ?? undefined })}
          {...width(150)}
        />
      )}
      {state.as_of === undefined && (
        <Select
          label={t('status')}
          placeholder={t('all')}
          clearable
          data={[
            { value: 'active', label: t('active') },
            { value: 'ended', label: t('ended') },
          ]}
          value={state.status ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
          {...width(140)}
        />
      )}
      {isNarrow && state.as_of === undefined && (
        <Select
          label={t('sort')}
          allowDeselect={false}
          data={SORTS.map((sort) => ({ value: sort, label: t(`sorts.${sort}`) }))}
          value={sortOf(state)}
          onChange={(sort) => change({ sort: sort === null || sort === 'name' ? undefined : sort })}
        />
      )}
      <AsOfFields
        day={state.as_of}
        moment={state.known_at}
        onChange={(asOf) =>
          change({ ...asOf, ...(asOf.as_of === undefined ? {} : { status: undefined, sort: undefined }) })
        }
      />
    </>
  );
}
