import { Button, Card, Code, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { Trans, useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { type Names, useNames } from '../../data/use-names.js';
import { useWrite } from '../../data/use-write.js';
import { FieldChanges } from '../../ui/field-changes.js';
import { Named } from '../../ui/named.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type Proposal = Schemas['WriteProposalResponse'];

const TONES: Readonly<Record<Proposal['status'], Tone>> = {
  pending: 'watch',
  approved: 'good',
  applied: 'good',
  overtaken: 'bad',
  rejected: 'bad',
  cancelled: 'quiet',
  expired: 'quiet',
};

/** Proposed writes of AI clients. */
export function Proposals() {
  const { t } = useTranslation('proposals');
  const [{ show }, change] = useAddress<{ show?: string | undefined }>();
  const isAll = show === 'all';
  const proposals = usePages(['write-proposals', isAll], (after) =>
    answerOf(
      client.GET('/write-proposals', {
        params: { query: { ...(isAll ? {} : { status: 'pending' as const }), ...after } },
      }),
    ),
  );
  const { items: rows } = proposals;
  const names = useNames(rows.flatMap((row) => [row.person_id, row.proposed_by, row.decided_by?.id ?? null]));
  return (
    <Page
      title={t('title')}
      note={t('note')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('which')}
          data={[
            { value: 'pending', label: t('toDecide') },
            { value: 'all', label: t('all') },
          ]}
          value={isAll ? 'all' : 'pending'}
          onChange={(value) => change({ show: value === 'all' ? 'all' : undefined })}
        />
      }
    >
      <Reading of={t('proposals')} query={proposals} />
      {proposals.isSuccess && rows.length === 0 && (
        <Empty title={t(isAll ? 'none' : 'noneToDecide')}>
          <Trans t={t} i18nKey="hint" components={[<Code key="scope" />]} />
        </Empty>
      )}
      <Stack gap="sm">
        {rows.map((proposal) => (
          <ProposalCard key={proposal.id} proposal={proposal} names={names} />
        ))}
      </Stack>
      <ShowMore of={proposals} />
    </Page>
  );
}

interface ProposalProperties {
  readonly proposal: Proposal;
  readonly names: Names;
}

function ProposalCard({ proposal, names }: ProposalProperties) {
  const { t } = useTranslation('proposals');
  const mayReadPeople = useMay('people:read');
  const write = useWrite((decision: 'approve' | 'reject', header) => {
    const params = { path: { writeProposalId: proposal.id }, header };
    return answerOf(
      decision === 'approve'
        ? client.POST('/write-proposals/{writeProposalId}/approve', { params })
        : client.POST('/write-proposals/{writeProposalId}/reject', { params }),
    );
  });
  const { status, decided_by: by, refusal } = proposal;
  return (
    <Card withBorder component="article" aria-label={proposal.summary} padding="md">
      <Group justify="space-between" align="flex-start" wrap="wrap" gap="xs">
        <div>
          <Group gap="xs">
            <Title order={2} size="h5">
              {proposal.summary}
            </Title>
            <StateBadge tone={TONES[status]}>{t(`status.${status}`)}</StateBadge>
          </Group>
          <Text size="xs" c="dimmed">
            <Trans
              t={t}
              i18nKey={status === 'pending' ? 'proposedUntil' : 'proposed'}
              values={{
                client: proposal.client === null ? t('anAiClient') : t('namedClient', { name: proposal.client }),
                time: dateTimeFormat(proposal.created_at),
                until: dateTimeFormat(proposal.expires_at),
              }}
              components={[<Named key="key" id={proposal.proposed_by} names={names} />]}
            />
          </Text>
        </div>
        {mayReadPeople && (
          <ScreenLink to={`/people/${proposal.person_id}`} size="sm">
            {names.of(proposal.person_id) ?? t('personConcerned')}
          </ScreenLink>
        )}
      </Group>
      <Changes of={proposal} />
      {by !== null && (
        <Text size="xs" c="dimmed" mt="xs">
          <Trans
            t={t}
            i18nKey={`decided.${by.type === 'api_key' || by.type === 'user' ? by.type : 'operator'}`}
            values={{ time: dateTimeFormat(proposal.decided_at ?? proposal.created_at) }}
            components={[<Named key="by" id={by.id} names={names} />]}
          />
        </Text>
      )}
      {refusal !== null && (
        <Text size="sm" mt="xs">
          {t('notWritten', { message: refusal.message })}
        </Text>
      )}
      {write.isError && <Failure error={write.error} />}
      {status === 'pending' && (
        <Group mt="sm" gap="xs">
          <Button
            size="xs"
            loading={write.isPending && write.variables === 'approve'}
            onClick={() => write.mutate('approve')}
          >
            {t('approve')}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={write.isPending && write.variables === 'reject'}
            onClick={() => write.mutate('reject')}
          >
            {t('reject')}
          </Button>
        </Group>
      )}
    </Card>
  );
}

function Changes({ of: { changes } }: { readonly of: Proposal }) {
  const { t } = useTranslation('proposals');
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed" mt="xs">
        {t('erased')}
      </Text>
    );
  return <FieldChanges changes={changes} texts="proposals" />;
}
