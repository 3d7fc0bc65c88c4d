import { Button, Card, Group, List, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { shortDayText, today } from '../../data/days.js';
import { readFromConsole, request, useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { Page } from '../../ui/page.js';
import { Empty, Reading } from '../../ui/states.js';
import { MakeCalendarLink, useSubjects } from './make-calendar-link.js';

/** A link, see docs/reference/console-session.md. */
interface CalendarLink {
  readonly id: string;
  readonly user: { readonly id: string; readonly email: string };
  readonly subject: {
    readonly resource_type: 'person' | 'org_unit' | 'team';
    /** Null for a team, that of the user. */
    readonly id: string | null;
    readonly name: string | null;
  };
  readonly created_at: string;
  readonly last_read_at: string | null;
}

const ROUTE = '/console/calendars';

/**
 * The links of the user to calendars of time off, for administrators those of all users. `?make` opens the form
 * for a new one: `own`, `team`, `person` or `org_unit`.
 */
export function CalendarLinks() {
  const { t } = useTranslation('calendar-links');
  const { user } = useSession();
  const [{ make }, change] = useAddress<{ make?: string }>();
  const subjects = useSubjects();
  const [revoked, setRevoked] = useState<CalendarLink | null>(null);
  const links = useQuery({
    queryKey: ['calendar-links'],
    queryFn: () => readFromConsole<readonly CalendarLink[]>(ROUTE),
  });
  const first = subjects.find((subject) => subject === make) ?? subjects[0];
  const actions = subjects.length > 0 && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ make: subjects[0] })}>
      {t('make')}
    </Button>
  );
  return (
    <Page title={t('title')} note={t('note')} actions={actions}>
      <Reading of={t('title')} query={links} />
      {links.data?.length === 0 && (
        <Empty title={t('none')}>{t(subjects.length > 0 ? 'noneHint' : 'unlinkedHint')}</Empty>
      )}
      {links.data !== undefined && links.data.length > 0 && (
        <List listStyleType="none" spacing="xs" aria-label={t('title')} styles={{ itemWrapper: { display: 'block' } }}>
          {links.data.map((link) => (
            <List.Item key={link.id}>
              <Row link={link} isOwn={link.user.id === user.id} onRevoke={() => setRevoked(link)} />
            </List.Item>
          ))}
        </List>
      )}
      {make !== undefined && first !== undefined && (
        <MakeCalendarLink first={first} onClose={() => change({ make: undefined })} />
      )}
      {revoked !== null && <Revocation link={revoked} onClose={() => setRevoked(null)} />}
    </Page>
  );
}

interface RowProperties {
  readonly link: CalendarLink;
  readonly isOwn: boolean;
  readonly onRevoke: () => void;
}

function Row({ link, isOwn, onRevoke }: RowProperties) {
  const { t } = useTranslation('calendar-links');
  const name = useNameOf(link);
  const used = link.last_read_at === null ? t('neverUsed') : t('lastUsed', { day: dayOf(link.last_read_at) });
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>{name}</Text>
          {!isOwn && <Text size="sm">{t('madeBy', { email: link.user.email })}</Text>}
          <Text size="sm" c="dimmed">
            {t('madeOn', { day: dayOf(link.created_at) })} · {used}
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={onRevoke} aria-label={t('revokeOf', { name })}>
          {t('revoke')}
        </Button>
      </Group>
    </Card>
  );
}

/** The day of a time for people: uses are kept to the hour, which may begin before the link was made. */
const dayOf = (instant: string): string => shortDayText(today(new Date(instant)));

/** Whose time off a link shows, for the user who looks. */
function useNameOf({ subject, user }: CalendarLink): string {
  const { t } = useTranslation('calendar-links');
  const session = useSession();
  const isOwn = user.id === session.user.id;
  if (subject.resource_type === 'team') return t(isOwn ? 'team' : 'teamOfUser');
  if (subject.id === session.person_id && isOwn) return t('own');
  return subject.name ?? t('outOfSight');
}

function Revocation({ link, onClose }: { readonly link: CalendarLink; readonly onClose: () => void }) {
  const { t } = useTranslation('calendar-links');
  const name = useNameOf(link);
  const write = useWrite((id: string, headers) => request('DELETE', `${ROUTE}/${id}`, undefined, headers), {
    onSuccess: onClose,
  });
  return (
    <Confirmation
      title={t('revokeTitle', { name })}
      action={t('revoke')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(link.id) }}
      onClose={onClose}
    >
      {t('revokeText')}
    </Confirmation>
  );
}
