import { ActionIcon, Indicator, Popover, Stack, Text } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTimeFormat } from '../data/days.js';
import { markNoticesRead, type Notice, noticesQuery } from '../data/notices.js';
import { reasonText } from '../data/disabled-reason.js';
import { ScreenLink } from '../ui/screen-link.js';

/**
 * The bell of administrators: endpoints that the service has disabled. A notice counts as read once it has
 * been shown.
 */
export function Notices() {
  const { t } = useTranslation('shell');
  const [isOpen, setIsOpen] = useState(false);
  const queryClient = useQueryClient();
  const notices = useQuery(noticesQuery).data ?? [];
  const unread = notices.filter(({ is_read: isRead }) => !isRead);
  const change = (opened: boolean): void => {
    setIsOpen(opened);
    // When it closes, so that new notices stay marked while they are read.
    if (!opened && unread.length > 0)
      void markNoticesRead(unread.map(({ id }) => id)).then(() =>
        queryClient.invalidateQueries({ queryKey: noticesQuery.queryKey }),
      );
  };
  return (
    <Popover opened={isOpen} onChange={change} width={340} position="bottom-end" withArrow trapFocus returnFocus>
      <Indicator label={unread.length} size={16} offset={5} color="red" disabled={unread.length === 0}>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={unread.length === 0 ? t('notices.title') : t('notices.unread', { count: unread.length })}
            aria-expanded={isOpen}
            onClick={() => change(!isOpen)}
          >
            <IconBell size={18} stroke={1.5} aria-hidden />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        {notices.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('notices.none')}
          </Text>
        )}
        <Stack gap="md">
          {notices.map((notice) => (
            <OneNotice key={notice.id} notice={notice} onFollow={() => change(false)} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function OneNotice({ notice, onFollow }: { readonly notice: Notice; readonly onFollow: () => void }) {
  const { t } = useTranslation('shell');
  const { webhook, reason, since, is_read: isRead } = notice;
  return (
    <div>
      <ScreenLink to={`/webhooks/${webhook.id}`} fw={isRead ? 400 : 600} size="sm" onClick={onFollow}>
        {webhook.name}
      </ScreenLink>
      <Text size="xs" c="dimmed">
        {t('notices.disabledSince', { time: dateTimeFormat(since) })}
      </Text>
      <Text size="sm">{reasonText(reason)}</Text>
    </div>
  );
}
