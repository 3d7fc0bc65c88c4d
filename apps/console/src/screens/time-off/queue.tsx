import { Badge, Button, Card, Group, Kbd, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, WorkforceError } from '@workforce-hr/client';
import { type KeyboardEvent, useRef } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { amountText, daysText } from '../../data/days.js';
import { listText } from '../../data/locale.js';
import { useMay } from '../../data/session.js';
import { useDecision } from '../../data/use-decision.js';
import { type Pages, usePages } from '../../data/use-pages.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { lessBy } from './counted-days.js';
import { spanText } from './span-text.js';

type TimeOff = Schemas['TimeOffResponse'];

const PAGE_SIZE = 20;

/** The requests that wait for a decision, in the order of their first days. */
export const usePending = (): Pages<TimeOff> =>
  usePages(['time-off', 'pending'], (after) =>
    answerOf(client.GET('/time-off', { params: { query: { status: 'pending', limit: PAGE_SIZE, ...after } } })),
  );

interface QueueProperties {
  /** The person whose own requests others decide; null for none. */
  readonly except: string | null;
  /** Whether the user is a manager, who has no screen of a person and may not read the settings of time off. */
  readonly isOfManager: boolean;
}

/**
 * Pending requests, each with the balance before and after, and other people who are out on those days. Keys
 * decide the request that has the focus.
 */
export function Queue({ except, isOfManager }: QueueProperties) {
  const { t } = useTranslation('time-off');
  const may = useMay('time_off:write');
  const list = useRef<HTMLDivElement>(null);
  const requests = usePending();
  const rows = requests.items.filter(({ person }) => person.id !== except);
  const cards = (): readonly HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[data-request]') ?? []),
  ];
  /** Moves the focus from a request to another one, if there is one. */
  const move = (from: Element, step: number): HTMLElement | undefined => {
    const all = cards();
    return all[all.indexOf(from as HTMLElement) + step];
  };
  return (
    <section aria-label={t('queue.title')}>
      <Title order={2} size="h4" mb={4}>
        {t('queue.title')}
      </Title>
      {may && rows.length > 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          <Trans t={t} i18nKey="queue.keys" components={[<Kbd key="key" size="xs" />]} />
        </Text>
      )}
      <Reading of={t('queue.reading')} query={requests} />
      {requests.isSuccess && rows.length === 0 && <Empty title={t('queue.empty')} />}
      <Stack gap="sm" ref={list}>
        {rows.map((row) => (
          <Request key={row.id} request={row} may={may} isOfManager={isOfManager} move={move} />
        ))}
        <ShowMore of={requests}>{t('queue.more')}</ShowMore>
      </Stack>
    </section>
  );
}

interface RequestProperties {
  readonly request: TimeOff;
  readonly may: boolean;
  readonly isOfManager: boolean;
  /** The request this number of places after a card. */
  readonly move: (from: Element, step: number) => HTMLElement | undefined;
}

function Request({ request, may, isOfManager, move }: RequestProperties) {
  const { t } = useTranslation('time-off');
  const { person, category, total_days: days } = request;
  const card = useRef<HTMLDivElement>(null);
  const noteField = useRef<HTMLInputElement>(null);
  const next = useRef<HTMLElement | undefined>(undefined);
  const { note, setNote, isReady, isPending, error, decide } = useDecision(request, may, (decision) => {
    const message = t('queue.decided', { name: person.display_name, status: t(`statuses.${decision}`) });
    notifications.show({ message, color: 'teal' });
    next.current?.focus();
  });
  const send = (decision: 'approved' | 'rejected'): void => {
    if (!isReady || isPending) return;
    // The card is gone once its request is decided: the focus goes on to the next one, or to the last.
    next.current = move(card.current!, 1) ?? move(card.current!, -1);
    decide(decision);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const act =
      step !== undefined
        ? () => move(card.current!, step)?.focus()
        : may
          ? { a: () => send('approved'), r: () => send('rejected'), n: () => noteField.current?.focus() }[
              event.key.toLowerCase()
            ]
          : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const of = { name: person.display_name, days: spanText(request) };
  const button = { size: 'xs', loading: isPending, disabled: !isReady } as const;
  return (
    <Card
      withBorder
      padding="sm"
      component="article"
      aria-label={t('queue.card', of)}
      tabIndex={0}
      data-request={request.id}
      ref={card}
      onKeyDown={onKeyDown}
    >
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            {isOfManager ? (
              <Text fw={600}>{person.display_name}</Text>
            ) : (
              <ScreenLink to={`/people/${person.id}`} fw={600} title={person.id}>
                {person.display_name}
              </ScreenLink>
            )}
            <Badge variant="default">{category.label}</Badge>
          </Group>
          <Text size="sm">
            {of.days}, {daysText(days)}
          </Text>
          <Consequences request={request} isOfManager={isOfManager} />
        </div>
        {may && (
          <Group gap="xs" align="flex-end">
            <TextInput
              ref={noteField}
              size="xs"
              label={t('queue.note')}
              placeholder={t('queue.noteNone')}
              maxLength={500}
              value={note}
              onChange={({ target }) => setNote(target.value)}
              onKeyDown={({ key }) => {
                if (key === 'Escape') card.current?.focus();
              }}
              aria-label={t('queue.noteOf', of)}
            />
            <Button {...button} variant="default" onClick={() => send('rejected')} aria-label={t('queue.rejectOf', of)}>
              {t('queue.reject')}
            </Button>
            <Button {...button} onClick={() => send('approved')} aria-label={t('queue.approveOf', of)}>
              {t('queue.approve')}
            </Button>
          </Group>
        )}
      </Group>
      {error !== null && <Refusal error={error} />}
    </Card>
  );
}

/** The balance that a request leaves, and who else is out on its days. */
function Consequences({ request, isOfManager }: Pick<RequestProperties, 'request' | 'isOfManager'>) {
  const { t } = useTranslation('time-off');
  const { person, category, start_date: from, end_date: to, total_minutes: minutes } = request;
  const balance = useQuery({
    queryKey: ['people', person.id, 'balance'],
    queryFn: () =>
      answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId: person.id } } })),
  });
  const settings = useQuery({
    queryKey: ['time-off', 'settings'],
    queryFn: () => answerOf(client.GET('/time-off/settings')),
    enabled: !isOfManager,
  });
  const others = useQuery({
    queryKey: ['time-off', 'overlaps', from, to],
    queryFn: () => answerOf(client.GET('/time-off/who-is-out', { params: { query: { from, to, limit: 20 } } })),
  });
  const account = balance.data?.data.balances.find((one) => one.category.id === category.id);
  // The available balance already excludes this request if the organisation deducts pending requests.
  const isCounted = settings.data?.data.pending_counts;
  const overlaps = (others.data?.data ?? []).filter((one) => one.person.id !== person.id);
  return (
    <>
      {account !== undefined && (
        <Text size="sm" c="dimmed">
          {isCounted === undefined
            ? t('queue.available', { amount: amountText(account, 'available') })
            : t('queue.beforeAndAfter', {
                before: amountText(lessBy(account, isCounted ? -minutes : 0), 'available'),
                after: amountText(lessBy(account, isCounted ? 0 : minutes), 'available'),
              })}
        </Text>
      )}
      {overlaps.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('queue.overlaps', { names: listText(overlaps.map((one) => one.person.display_name)) })}
        </Text>
      )}
    </>
  );
}

const MEANWHILE: ReadonlySet<string> = new Set(['conflict', 'precondition_failed']);

function Refusal({ error }: { readonly error: Error }) {
  const { t } = useTranslation('time-off');
  const queryClient = useQueryClient();
  if (!(error instanceof WorkforceError) || !MEANWHILE.has(error.code)) return <Failure error={error} />;
  const said = t('queue.meanwhile');
  return (
    <Failure
      error={new WorkforceError(error.status, error.code, said, error.requestId, error.details)}
      onRetry={() => void queryClient.invalidateQueries({ queryKey: ['time-off'] })}
    />
  );
}
