import { Anchor, AppShell, Badge, Container, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ask, type Health } from './data.js';
import { DeliveriesPart, EnginesPart } from './engines.js';
import { EventLog } from './event-log.js';
import classes from './operations.module.css';
import { ProjectionsPart } from './projections.js';
import { useView } from './state.js';
import { ColourScheme } from '../ui/colour-scheme.js';

const PARTS = {
  projections: { label: 'Projections', Content: ProjectionsPart },
  events: { label: 'Event log', Content: EventLog },
  deliveries: { label: 'Deliveries', Content: DeliveriesPart },
  engines: { label: 'Engines', Content: EnginesPart },
} as const;

type Part = keyof typeof PARTS;

const isPart = (name: string | undefined): name is Part => name !== undefined && name in PARTS;

/** The page for operators: health, projections, recorded events and engines. */
export function Operations() {
  const [view, change] = useView();
  const part: Part = isPart(view['part']) ? view['part'] : 'projections';
  useEffect(() => {
    document.title = `${PARTS[part].label} · Operations · Workforce HR`;
  }, [part]);
  return (
    <AppShell header={{ height: 48 }} padding="md">
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <img src="/console/icon.svg" alt="" width={22} height={22} />
            <Title order={1} size="h4" className={classes.title!}>
              Operations
            </Title>
            <HealthBadge />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Anchor href="/queues" size="sm" className={classes.link!} visibleFrom="sm">
              Dashboard of deliveries <IconExternalLink size={14} aria-hidden />
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
              <Tabs.List aria-label="Parts of operations">
                {Object.entries(PARTS).map(([name, { label }]) => (
                  <Tabs.Tab key={name} value={name}>
                    {label}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {Object.entries(PARTS).map(([name, { Content }]) => (
                <Tabs.Panel key={name} value={name} pt="md">
                  <Content view={view} onView={change} />
                </Tabs.Panel>
              ))}
            </Tabs>
          </Stack>
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}

const COLORS = { ok: 'teal', degraded: 'orange', failed: 'red' } as const;
const WORDS = { ok: 'Everything works', degraded: 'Needs attention', failed: 'Does not answer requests' } as const;

function useHealth() {
  return useQuery({ queryKey: ['health'], queryFn: () => ask<Health>('/health'), refetchInterval: 5_000 });
}

function HealthBadge() {
  const { data } = useHealth();
  if (data === undefined) return null;
  return (
    <Badge variant="light" color={COLORS[data.status]} className={classes.badge!} role="status">
      {WORDS[data.status]}
    </Badge>
  );
}

/** The degraded parts, each with its message. */
function Complaints() {
  const { data } = useHealth();
  const parts = Object.entries(data?.parts ?? {}).filter(([, { status }]) => status !== 'ok');
  if (parts.length === 0) return null;
  return (
    <Stack gap={4} component="section" aria-label="What needs attention">
      {parts.map(([name, { status, message }]) => (
        <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
          <Badge variant="light" color={COLORS[status]} className={classes.badge!}>
            {name.replace('_', ' ')}
          </Badge>
          <Text size="sm">{message}</Text>
        </Group>
      ))}
    </Stack>
  );
}
