import { Alert, Button, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { useWrite } from '../../data/use-write.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { messageOf } from './filters.js';

type Result = Schemas['VerificationResponse'];

/** The polling interval of a requested verification, in milliseconds. */
const POLL_MILLISECONDS = 3_000;

/** The result of the last verification of history, and its anchors. */
export function Verification() {
  const verification = useQuery({
    queryKey: ['audit-verification'],
    queryFn: () => answerOf(client.GET('/audit/verification')),
    refetchInterval: ({ state }) => (state.data?.data.requested_at == null ? false : POLL_MILLISECONDS),
  });
  return (
    <Stack>
      <Reading of="the verification" query={verification} />
      {verification.isSuccess && <Request of={verification.data.data} />}
      {verification.isSuccess && <Verdict of={verification.data.data} />}
      {verification.isSuccess && <Findings of={verification.data.data} />}
      <Title order={2} size="h4">
        Anchors
      </Title>
      <Anchors />
    </Stack>
  );
}

/** Requests a verification of history, and shows its progress. */
function Request({ of: { requested_at: at } }: { readonly of: Result }) {
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
          Verify now
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {at === null
            ? 'The worker verifies history once a day.'
            : `Asked for ${dateTimeFormat(at)}. The worker begins at most every five minutes, and the result is shown here.`}
        </Text>
      </Group>
      {request.isError && <Failure error={request.error} />}
    </>
  );
}

function Verdict({ of: result }: { readonly of: Result }) {
  const { verified_at: at, is_unaltered: isUnaltered, found } = result;
  if (at === null) {
    return (
      <Alert color="gray" icon={<IconShieldQuestion aria-hidden />} title="History was not verified yet">
        The worker verifies it once a day, and the operator with <Code>workforce audit verify</Code>. The result appears
        here.
      </Alert>
    );
  }
  const isGood = isUnaltered === true;
  return (
    <Alert
      color={isGood ? 'gray' : 'red'}
      role={isGood ? 'status' : 'alert'}
      icon={isGood ? <IconShieldCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={isGood ? 'History is unaltered' : `History was altered: ${found} ${found === 1 ? 'finding' : 'findings'}`}
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
  return (
    <>
      <Text size="sm">
        Verified {dateTimeFormat(at)}: {events} events of {streams} streams of this organisation were read, and each
        event links to the one before it.
      </Text>
      <Text size="sm">
        {anchor === null
          ? 'There is no anchor: the end of a stream could be missing without a trace.'
          : `The last trusted anchor is ${anchor.number}, of ${dateTimeFormat(anchor.created_at)}.`}{' '}
        {isNoted
          ? 'Anchors were checked against a public key that is stored elsewhere.'
          : 'Anchors were checked against the public key in the database, which its administrators could replace.'}
      </Text>
    </>
  );
}

function Findings({ of: { findings, found } }: { readonly of: Result }) {
  if (findings.length === 0) return null;
  return (
    <>
      {found > findings.length && <Text size="sm">The first {findings.length} are shown.</Text>}
      <WideTable label="Findings" minWidth={600} heads={['What', 'Resource', 'Event', 'Finding']}>
        {findings.map(({ kind, resource_type: type, resource_id: id, revision, message }, index) => (
          <Table.Tr key={index}>
            <Table.Td>{messageOf(kind)}</Table.Td>
            <Table.Td>{type !== null && `${messageOf(type)} ${id ?? ''}`}</Table.Td>
            <Table.Td>{revision}</Table.Td>
            <Table.Td>{message}</Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </>
  );
}

function Anchors() {
  const anchors = usePages(['audit-anchors'], (after) =>
    answerOf(client.GET('/audit/anchors', { params: { query: after } })),
  );
  const { items } = anchors;
  return (
    <>
      <Reading of="anchors" query={anchors} />
      {anchors.isSuccess && items.length === 0 && (
        <Empty title="No anchor yet">
          The worker signs one a day. Store their digests elsewhere, to prove later that history was not altered.
        </Empty>
      )}
      {items.length > 0 && (
        <WideTable label="Anchors" minWidth={600} heads={['Number', 'Made', 'Digest', 'Public key']}>
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
