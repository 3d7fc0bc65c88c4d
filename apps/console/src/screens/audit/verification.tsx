import { Alert, Button, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { useWrite } from '../../data/use-write.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import classes from './audit.module.css';
import { isResource } from './resources.js';

type Result = Schemas['VerificationResponse'];

/** The polling interval of a requested verification, in milliseconds. */
const POLL_MILLISECONDS = 3_000;

function useVerification() {
  return useQuery({
    queryKey: ['audit-verification'],
    queryFn: () => answerOf(client.GET('/audit/verification')),
    refetchInterval: ({ state }) => (state.data?.data.requested_at == null ? false : POLL_MILLISECONDS),
  });
}

/** The last result in one line, for every view of the audit. */
export function LastVerification({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useTranslation('audit');
  const result = useVerification().data?.data;
  if (result === undefined) return null;
  const { verified_at: at, is_unaltered: isUnaltered, found } = result;
  return (
    <Group gap="xs" role="status">
      {at === null ? (
        <StateBadge tone="quiet">{t('notVerified')}</StateBadge>
      ) : (
        <StateBadge tone={isUnaltered === true ? 'good' : 'bad'}>
          {isUnaltered === true ? t('unaltered') : t('altered', { count: found })}
        </StateBadge>
      )}
      <Text size="xs" c="dimmed">
        {at !== null && t('verifiedAt', { time: dateTimeFormat(at) })}
      </Text>
      <Button size="compact-xs" variant="subtle" onClick={onOpen} className={classes.screenOnly!}>
        {t('showVerification')}
      </Button>
    </Group>
  );
}

/** The result of the last verification of history, and its anchors. */
export function Verification() {
  const { t } = useTranslation('audit');
  const verification = useVerification();
  return (
    <Stack>
      <Reading of={t('verificationNoun')} query={verification} />
      {verification.isSuccess && <Request of={verification.data.data} />}
      {verification.isSuccess && <Verdict of={verification.data.data} />}
      {verification.isSuccess && <Findings of={verification.data.data} />}
      <Title order={2} size="h4">
        {t('anchors')}
      </Title>
      <Anchors />
    </Stack>
  );
}

/** Requests a verification of history, and shows its progress. */
function Request({ of: { requested_at: at } }: { readonly of: Result }) {
  const { t } = useTranslation('audit');
  const request = useWrite((_: Record<string, never>, header) =>
    answerOf(client.POST('/audit/verification', { params: { header } })),
  );
  return (
    <>
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          disabled={at !== null}
          loading={request.isPending}
          onClick={() => request.mutate({})}
        >
          {t('verifyNow')}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {at === null ? t('onceADay') : t('askedFor', { time: dateTimeFormat(at) })}
        </Text>
      </Group>
      {request.isError && <Failure error={request.error} />}
    </>
  );
}

function Verdict({ of: result }: { readonly of: Result }) {
  const { t } = useTranslation('audit');
  const { verified_at: at, is_unaltered: isUnaltered, found } = result;
  if (at === null) {
    return (
      <Alert color="gray" icon={<IconShieldQuestion aria-hidden />} title={t('notVerified')}>
        {t('notVerifiedHint')}
      </Alert>
    );
  }
  const isGood = isUnaltered === true;
  return (
    <Alert
      color={isGood ? 'gray' : 'red'}
      role={isGood ? 'status' : 'alert'}
      icon={isGood ? <IconShieldCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={isGood ? t('unaltered') : t('altered', { count: found })}
    >
      <Evidence of={result} at={at} />
    </Alert>
  );
}

function Evidence({
  of: { events, streams, last_anchor: anchor, is_checked_against_noted_key: isNoted },
  at,
}: {
  readonly of: Result;
  readonly at: string;
}) {
  const { t } = useTranslation('audit');
  return (
    <>
      <Text size="sm">{t('evidence', { time: dateTimeFormat(at), events, streams })}</Text>
      <Text size="sm">
        {anchor === null
          ? t('noAnchorEvidence')
          : t('lastAnchor', { number: anchor.number, time: dateTimeFormat(anchor.created_at) })}{' '}
        {isNoted ? t('notedKey') : t('ownKey')}
      </Text>
    </>
  );
}

function Findings({ of: { findings, found } }: { readonly of: Result }) {
  const { t } = useTranslation('audit');
  if (findings.length === 0) return null;
  return (
    <>
      {found > findings.length && <Text size="sm">{t('firstFindings', { count: findings.length })}</Text>}
      <WideTable label={t('findings')} minWidth={600} heads={[t('what'), t('resource'), t('event'), t('finding')]}>
        {findings.map(({ kind, resource_type: type, resource_id: id, revision, message }, index) => (
          <Table.Tr key={index}>
            <Table.Td>{t(`kinds.${kind}`)}</Table.Td>
            <Table.Td>{type !== null && `${isResource(type) ? t(`resources.${type}`) : type} ${id ?? ''}`}</Table.Td>
            <Table.Td>{revision}</Table.Td>
            <Table.Td>{message}</Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </>
  );
}

function Anchors() {
  const { t } = useTranslation('audit');
  const anchors = usePages(['audit-anchors'], (after) =>
    answerOf(client.GET('/audit/anchors', { params: { query: after } })),
  );
  const { items } = anchors;
  return (
    <>
      <Reading of={t('anchorsNoun')} query={anchors} />
      {anchors.isSuccess && items.length === 0 && <Empty title={t('noAnchor')}>{t('noAnchorHint')}</Empty>}
      {items.length > 0 && (
        <WideTable label={t('anchors')} minWidth={600} heads={[t('number'), t('made'), t('digest'), t('publicKey')]}>
          {items.map(({ number, created_at, digest, public_key }) => (
            <Table.Tr key={number}>
              <Table.Td>{number}</Table.Td>
              <Table.Td>{dateTimeFormat(created_at)}</Table.Td>
              <Table.Td>
                <Code>{digest}</Code>
              </Table.Td>
              <Table.Td>
                <Code>{public_key}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
      <ShowMore of={anchors} />
    </>
  );
}
