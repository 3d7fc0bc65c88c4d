import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { Page } from '../../ui/page.js';
import { Activity } from './activity.js';
import classes from './audit.module.css';
import { Erasures } from './erasures.js';
import type { AuditState } from './filters.js';
import { Report } from './report.js';
import { LastVerification, Verification } from './verification.js';

const VIEWS = { activity: Activity, report: Report, verification: Verification, erasures: Erasures } as const;
const NAMES = Object.keys(VIEWS) as readonly (keyof typeof VIEWS)[];

/** The screens for auditors: recorded events, the report, and the verification of history. */
export function Audit() {
  const { t } = useTranslation('audit');
  const [state, change] = useAddress<AuditState>();
  const view = NAMES.find((name) => name === state.view) ?? 'activity';
  const open = (requested: string | null): void =>
    change({ view: requested === 'activity' ? undefined : (requested ?? undefined) });
  return (
    <Page title={t('title')} note={t(`notes.${view}`)}>
      {view !== 'verification' && <LastVerification onOpen={() => open('verification')} />}
      <Tabs value={view} onChange={open} keepMounted={false}>
        <Tabs.List aria-label={t('parts')} className={classes.screenOnly!}>
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`views.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(VIEWS).map(([name, View]) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <View />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
