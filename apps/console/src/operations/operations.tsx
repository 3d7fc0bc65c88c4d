import { Anchor, AppShell, Badge, Container, Group, NativeSelect, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage, type Language, LANGUAGES } from '../data/locale.js';
import { chooseLanguage } from './language.js';
import { ask, type Health } from './data.js';
import { DeliveriesPart, EnginesPart } from './engines.js';
import { EventLog } from './event-log.js';
import classes from './operations.module.css';
import { LastHourPart } from './last-hour.js';
import { ProjectionsPart } from './projections.js';
import { useView } from './state.js';
import { ColourScheme } from '../ui/colour-scheme.js';

const PARTS = {
  projections: ProjectionsPart,
  hour: LastHourPart,
  events: EventLog,
  deliveries: DeliveriesPart,
  engines: EnginesPart,
} as const;

type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as readonly Part[];

const COMPONENTS = [
  'process',
  'database',
  'migrations',
  'event_store',
  'queue',
  'leaders',
  'projections',
  'webhooks',
] as const;

const isComponent = (name: string): name is (typeof COMPONENTS)[number] =>
  (COMPONENTS as readonly string[]).includes(name);

const isPart = (name: string | undefined): name is Part => name !== undefined && name in PARTS;

/** The page for operators: health, projections, recorded events and engines. */
export function Operations() {
  const { t } = useTranslation('operations');
  const [view, change] = useView();
  const part: Part = isPart(view['part']) ? view['part'] : 'projections';
  useEffect(() => {
    document.title = `${t(`parts.${part}`)} · ${t('title')} · Workforce HR`;
  }, [part, t]);
  return (
    <AppShell header={{ height: 48 }} padding="md">
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <img src="/console/icon.svg" alt="" width={22} height={22} />
            <Title order={1} size="h4" className={classes.title!}>
              {t('title')}
            </Title>
            <HealthBadge />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Anchor href="/queues" size="sm" className={classes.link!} visibleFrom="sm">
              {t('dashboard')} <IconExternalLink size={14} aria-hidden />
            </Anchor>
            <ColourScheme />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main>
        <Container size="xl" px={0}>
          <Stack gap="md">
            <Complaints />
            <Tabs
              value={part}
              onChange={(name) =>
                isPart(name ?? undefined) && (location.hash = new URLSearchParams({ part: name! }).toString())
              }
              keepMounted={false}
            >
              <Tabs.List aria-label={t('partsLabel')}>
                {NAMES.map((name) => (
                  <Tabs.Tab key={name} value={name}>
                    {t(`parts.${name}`)}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {Object.entries(PARTS).map(([name, Content]) => (
                <Tabs.Panel key={name} value={name} pt="md">
                  <Content view={view} onView={change} />
                </Tabs.Panel>
              ))}
            </Tabs>
            <LanguageChoice />
          </Stack>
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}

const COLORS = { ok: 'teal', degraded: 'orange', failed: 'red' } as const;

function useHealth() {
  return useQuery({ queryKey: ['health'], queryFn: () => ask<Health>('/health'), refetchInterval: 5_000 });
}

function LanguageChoice() {
  const { t } = useTranslation('operations');
  return (
    <Group justify="flex-end">
      <NativeSelect
        size="xs"
        aria-label={t('language')}
        data={Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }))}
        value={currentLanguage()}
        onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
      />
    </Group>
  );
}

function HealthBadge() {
  const { t } = useTranslation('operations');
  const { data } = useHealth();
  if (data === undefined) return null;
  return (
    <Badge variant="light" color={COLORS[data.status]} className={classes.badge!} role="status">
      {t(`healths.${data.status}`)}
    </Badge>
  );
}

/** The degraded parts, each with its message. */
function Complaints() {
  const { t } = useTranslation('operations');
  const { data } = useHealth();
  const parts = Object.entries(data?.parts ?? {}).filter(([, { status }]) => status !== 'ok');
  if (parts.length === 0) return null;
  return (
    <Stack gap={4} component="section" aria-label={t('needsAttention')}>
      {parts.map(([name, { status, message }]) => (
        <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
          <Badge variant="light" color={COLORS[status]} className={classes.badge!}>
            {isComponent(name) ? t(`components.${name}`) : name}
          </Badge>
          <Text size="sm">{message}</Text>
        </Group>
      ))}
    </Stack>
  );
}
