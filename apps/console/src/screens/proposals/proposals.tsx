import { Button, Card, Code, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { FieldChanges } from '../../ui/field-changes.js';
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
  return (
    <Page
      title="Write proposals"
      note="AI clients propose changes. Nothing is written before a person approves."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Which proposals"
          data={[
            { value: 'pending', label: 'To decide' },
            { value: 'all', label: 'All' },
          ]}
          value={isAll ? 'all' : 'pending'}
          onChange={(value) => change({ show: value === 'all' ? 'all' : undefined })}
        />
      }
    >
      <Reading of="proposals" query={proposals} />
      {proposals.isSuccess && rows.length === 0 && (
        <Empty title={isAll ? 'No proposals' : 'No proposals to decide'}>
          A key with the scope <Code>mcp:write</Code> lets an AI client propose.
        </Empty>
      )}
      <Stack gap="sm">
        {rows.map((proposal) => (
          <ProposalCard key={proposal.id} proposal={proposal} />
        ))}
      </Stack>
      <ShowMore of={proposals} />
    </Page>
  );
}

function ProposalCard({ proposal }: { readonly proposal: Proposal }) {
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
            <StateBadge tone={TONES[status]}>{status}</StateBadge>
          </Group>
          <Text size="xs" c="dimmed">
            {proposal.client === null ? 'An AI client' : `“${proposal.client}”`} with the key{' '}
            <Code>{proposal.proposed_by}</Code>, {dateTimeFormat(proposal.created_at)}
            {status === 'pending' && `. To decide until ${dateTimeFormat(proposal.expires_at)}.`}
          </Text>
        </div>
        {mayReadPeople && (
          <ScreenLink to={`/people/${proposal.person_id}`} size="sm">
            Person concerned
          </ScreenLink>
        )}
      </Group>
      <Changes of={proposal} />
      {by !== null && (
        <Text size="xs" c="dimmed" mt="xs">
          Decided by {by.type === 'api_key' ? 'the key' : by.type === 'user' ? 'the user' : 'the operator'}{' '}
          <Code>{by.id}</Code>
          {proposal.decided_at !== null && `, ${dateTimeFormat(proposal.decided_at)}`}
        </Text>
      )}
      {refusal !== null && (
        <Text size="sm" mt="xs">
          Not written: {refusal.message}
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
            Approve
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={write.isPending && write.variables === 'reject'}
            onClick={() => write.mutate('reject')}
          >
            Reject
          </Button>
        </Group>
      )}
    </Card>
  );
}

function Changes({ of: { changes } }: { readonly of: Proposal }) {
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed" mt="xs">
        The proposed values are gone: the personal data was erased.
      </Text>
    );
  return <FieldChanges changes={changes} />;
}
