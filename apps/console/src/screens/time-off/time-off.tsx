import { Badge, Button, Group, Stack, Tabs, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Balances } from './balances.js';
import { Calendar, monthOf } from './calendar.js';
import { Decided } from './decided.js';
import { Department } from './department.js';
import { Holidays } from './holidays.js';
import { monthText } from './month.js';
import { Queue, usePending } from './queue.js';
import { RequestTimeOff } from './request-time-off.js';

type State = { view?: string; month?: string; department?: string; as_of?: string };

const VIEWS = ['calendar', 'requests', 'decided', 'balances', 'holidays'] as const;

/** Absences of a month, pending requests, decisions, and the balances of all people. */
export function TimeOffScreen() {
  const { t } = useTranslation('time-off');
  const [state, change] = useAddress<State>();
  const may = useMay('time_off:write');
  const [isAsking, setAsking] = useState(false);
  const view = VIEWS.find((one) => one === state.view) ?? 'calendar';
  return (
    <Page
      title={t('title')}
      note={view === 'calendar' ? monthText(monthOf(state)) : t(`views.${view}`)}
      actions={
        <>
          <ScreenLink to="/calendar-links" size="sm" mr="xs">
            {t('subscribe')}
          </ScreenLink>
          {may && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAsking(true)}>
              {t('request.action')}
            </Button>
          )}
        </>
      }
    >
      <Tabs
        value={view}
        onChange={(requested) => change({ view: requested === 'calendar' ? undefined : (requested ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('parts')}>
          {VIEWS.map((one) => (
            <Tabs.Tab key={one} value={one} rightSection={one === 'requests' && <Waiting />}>
              {t(`views.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="calendar" pt="md">
          <Stack>
            <Calendar managerId={null} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="requests" pt="md">
          <Queue except={null} isOfManager={false} />
        </Tabs.Panel>
        <Tabs.Panel value="decided" pt="md">
          <Decided />
        </Tabs.Panel>
        <Tabs.Panel value="balances" pt="md">
          <Stack>
            <Group align="flex-end" gap="sm">
              <Department value={state.department} onChange={(department) => change({ department })} />
              <TextInput
                type="date"
                label={t('balances.asOf')}
                value={state.as_of ?? today()}
                onChange={({ target: { value } }) => change({ as_of: value === '' ? undefined : value })}
              />
            </Group>
            <Balances department={state.department} asOf={state.as_of} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="holidays" pt="md">
          <Holidays />
        </Tabs.Panel>
      </Tabs>
      {isAsking && <RequestTimeOff person={null} onClose={() => setAsking(false)} />}
    </Page>
  );
}

/** The number of requests that wait for a decision; with a plus sign if there are more. */
function Waiting() {
  const { items, hasNextPage } = usePending();
  if (items.length === 0) return null;
  return (
    <Badge size="sm" variant="default" circle={items.length < 10 && !hasNextPage}>
      {hasNextPage ? `${items.length}+` : items.length}
    </Badge>
  );
}
