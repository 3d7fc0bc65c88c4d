import { Tabs } from '@mantine/core';
import { useAddress } from '../../data/address.js';
import { Page } from '../../ui/page.js';
import { Activity } from './activity.js';
import { Erasures } from './erasures.js';
import type { AuditState } from './filters.js';
import { Report } from './report.js';
import { Verification } from './verification.js';

const VIEWS = {
  activity: 'What happened',
  report: 'Report',
  verification: 'Verification',
  erasures: 'Erasures',
} as const;
const NOTES = {
  activity: 'Every recorded event: who, when, and the values before and after',
  report: 'A row for each field that was recorded, to save or print',
  verification: 'The last verification of history',
  erasures: 'People whose personal data was destroyed, with the reason',
} as const;

type View = keyof typeof VIEWS;

/** The screens for auditors: recorded events, the report, and the verification of history. */
export function Audit() {
  const [state, change] = useAddress<AuditState>();
  const view: View = state.view !== undefined && state.view in VIEWS ? (state.view as View) : 'activity';
  return (
    <Page title="Audit" note={NOTES[view]}>
      <Tabs
        value={view}
        onChange={(requested) => change({ view: requested === 'activity' ? undefined : (requested ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List aria-label="Parts of the audit">
          {Object.entries(VIEWS).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="activity" pt="md">
          <Activity />
        </Tabs.Panel>
        <Tabs.Panel value="report" pt="md">
          <Report />
        </Tabs.Panel>
        <Tabs.Panel value="verification" pt="md">
          <Verification />
        </Tabs.Panel>
        <Tabs.Panel value="erasures" pt="md">
          <Erasures />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
