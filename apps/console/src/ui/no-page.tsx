import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Page } from './page.js';
import { ScreenLink } from './screen-link.js';

/** An address that no screen has. */
export function NoPage() {
  const { t } = useTranslation('shell');
  return (
    <Page title={t('noPage.title')}>
      <Text c="dimmed">{t('noPage.hint')}</Text>
      <ScreenLink to="/">{t('noPage.start')}</ScreenLink>
    </Page>
  );
}
