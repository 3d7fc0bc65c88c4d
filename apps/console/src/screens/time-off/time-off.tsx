import { Group, Stack, Tabs, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { today } from '../../data/days.js';
import { Page } from '../../ui/page.js';
import { Balances } from './balances.js';
import { Calendar, monthOf } from './calendar.js';
import { Decided } from './decided.js';
import { Department } from './department.js';
import { Holidays } from './holidays.js';
import { monthText } from './month.js';
import { Queue } from './queue.js';

type State = { view?: string; month?: string; department?: string; as_of?: string };

const VIEWS = ['calendar', 'decided', 'balances', 'holidays'] as const;

/** Absences of a month, pending requests, decisions, and the balances of all people. */
export function TimeOffScreen() {
  const { t } = useTranslation('time-off');
  const [state, change] = useAddress<State>();
  const view = VIEWS.find((one) => one === state.view) ?? 'calendar';
  return (
    <Page title={t('title')} note={view === 'calendar' ? monthText(monthOf(state)) : t(`views.${view}`)}>
      <Tabs
        value={view}
        onChange={(requested) => change({ view: requested === 'calendar' ? undefined : (requested ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('parts')}>
          {VIEWS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`views.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="calendar" pt="md">
          <Stack>
            <Calendar managerId={null} />
            <Queue except={null} isOfManager={false} />
          </Stack>
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
    </Page>
  );
}
