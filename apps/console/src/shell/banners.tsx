import { Alert, Button, Group, Text } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconRefresh, IconWifiOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

/** The interval between two looks at the version that the service has, in milliseconds. */
const INTERVAL = 300_000;

/** Says that the connection is lost, or that the service has a newer version of the console. */
export function Banners() {
  const { t } = useTranslation('shell');
  const { online } = useNetwork();
  const hasNewVersion = useQuery({
    queryKey: ['console-version'],
    queryFn: readScript,
    select: (script) => script !== null && script !== OWN_SCRIPT,
    refetchInterval: INTERVAL,
    staleTime: INTERVAL,
    initialData: OWN_SCRIPT,
    initialDataUpdatedAt: Date.now(),
  }).data;
  if (!online)
    return (
      <Alert color="orange" icon={<IconWifiOff aria-hidden />} role="status" mb="md">
        {t('banners.offline')}
      </Alert>
    );
  if (!hasNewVersion) return null;
  return (
    <Alert color="indigo" icon={<IconRefresh aria-hidden />} role="status" mb="md">
      <Group justify="space-between">
        <Text size="sm">{t('banners.newVersion')}</Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          {t('banners.reload')}
        </Button>
      </Group>
    </Alert>
  );
}

const SCRIPT = /<script type="module"[^>]* src="([^"]+)"/;

/** The script of this page; its name changes with its content. */
const OWN_SCRIPT = document.querySelector('script[type="module"]')?.getAttribute('src') ?? null;

/** The script that the service's page has now; null if that cannot be read. */
async function readScript(): Promise<string | null> {
  try {
    const answer = await fetch('/console');
    return answer.ok ? (SCRIPT.exec(await answer.text())?.[1] ?? null) : null;
  } catch {
    return null;
  }
}
