import { Button, Group, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client, type Person } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Failure, Loading } from '../../ui/states.js';

const PAGE_SIZE = 100;

/** Everybody who works or worked here. */
export function Directory() {
  const people = useInfiniteQuery({
    queryKey: ['people'],
    queryFn: ({ pageParam: cursor }) =>
      answerOf(client.GET('/people', { params: { query: { limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.pagination.next_cursor || null,
  });
  const rows = people.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Page title="Directory">
      {people.isPending && <Loading of="people" />}
      {people.isError && <Failure error={people.error} onRetry={() => void people.refetch()} />}
      {people.isSuccess && rows.length === 0 && <Empty title="Nobody works here yet">Hire the first person.</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table highlightOnHover verticalSpacing={6} aria-label="People">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Job title</Table.Th>
                <Table.Th>Department</Table.Th>
                <Table.Th>Manager</Table.Th>
                <Table.Th>Since</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{rows.map(rowOf)}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {people.hasNextPage && (
        <Button variant="default" onClick={() => void people.fetchNextPage()} loading={people.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Page>
  );
}

function rowOf(person: Person) {
  return (
    <Table.Tr key={person.id}>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <PersonPicture name={person.display_name} />
          <div>
            <ScreenLink to={`/people/${person.id}`}>{person.display_name}</ScreenLink>
            <Text size="xs" c="dimmed">
              {person.work_email}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>{person.job_title}</Table.Td>
      <Table.Td>{person.department?.name}</Table.Td>
      <Table.Td>{person.manager?.display_name}</Table.Td>
      <Table.Td>{person.start_date !== null && shortDayText(person.start_date)}</Table.Td>
    </Table.Tr>
  );
}
