import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { Page } from '../../ui/page.js';
import { ApiKeys } from './api-keys.js';
import { Sandbox } from './sandbox.js';
import { Users } from './users.js';

/** Access: the people who sign in, and the API keys of programs. */
export function Access() {
  const { t } = useTranslation('access');
  const [{ tab = 'users' }, change] = useAddress<{ tab?: string | undefined }>();
  return (
    <Page title={t('title')} note={t('note')}>
      <Tabs
        value={tab === 'keys' || tab === 'sandbox' ? tab : 'users'}
        onChange={(value) => change({ tab: value === 'users' ? undefined : (value ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="users">{t('users')}</Tabs.Tab>
          <Tabs.Tab value="keys">{t('apiKeys')}</Tabs.Tab>
          <Tabs.Tab value="sandbox">{t('sandbox')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="users">
          <Users />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <ApiKeys />
        </Tabs.Panel>
        <Tabs.Panel value="sandbox">
          <Sandbox />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
