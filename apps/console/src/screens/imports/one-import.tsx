import {
  Alert,
  Button,
  Card,
  Code,
  FileButton,
  Group,
  Modal,
  Progress,
  SimpleGrid,
  Stack,
  Table,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { Fragment, useMemo, useState } from 'react';
import { useParameter } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { dateTimeFormat } from '../../data/days.js';
import { useWrite } from '../../data/use-write.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Failure, Reading } from '../../ui/states.js';
import { Changes } from './changes.js';
import { headOf, type KindColumns, meaningOf } from './columns.js';
import { cellsOfLine, rememberedText, rememberText, textOfFile, UnusableFileError } from './file-text.js';
import { StateBadge } from './imports.js';
import classes from './imports.module.css';
import { type Import, isMoving, KINDS } from './kinds.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type Problem = Schemas['ImportProblemResponse'];

const POLL_MILLISECONDS = 700;

/** One import: its progress, its problems next to the rows, and its next step. */
export function OneImport() {
  const importId = useParameter('importId');
  const read = useQuery({
    queryKey: ['imports', importId],
    queryFn: () => answerOf(client.GET('/imports/{importId}', { params: { path: { importId } } })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isMoving(state.data.data.state) ? POLL_MILLISECONDS : false,
  });
  const found = read.data?.data;
  return (
    <Page
      title={found?.file_name ?? 'Import'}
      note={
        <Group gap="xs">
          <ScreenLink to="/imports">Imports</ScreenLink>
          {found !== undefined && (
            <>
              <StateBadge state={found.state} />
              <span>
                {KINDS[found.kind].label}, asked for on {dateTimeFormat(found.created_at)}
              </span>
            </>
          )}
        </Group>
      }
      actions={found !== undefined && <Steps found={found} />}
    >
      <Reading of="the import" query={read} />
      {found !== undefined && (
        <>
          <Outcome found={found} />
          <Counts found={found} />
          {found.problems + found.warnings > 0 && <Problems key={found.state} found={found} />}
          {found.changes > 0 && <Changes key={`changes ${found.state}`} found={found} />}
        </>
      )}
    </Page>
  );
}

function Steps({ found }: { readonly found: Import }) {
  const [isAsking, { open, close }] = useDisclosure(false);
  const path = { importId: found.id };
  const running = useWrite((_: string, headers) =>
    answerOf(client.POST('/imports/{importId}/run', { params: { path, header: headers } })),
  );
  const cancelling = useWrite((_: string, headers) =>
    answerOf(client.POST('/imports/{importId}/cancel', { params: { path, header: headers } })),
  );
  const failed = running.error ?? cancelling.error;
  const isWaiting = ['check_queued', 'checked', 'queued'].includes(found.state);
  const writes = found.created + found.changed;
  return (
    <>
      {isWaiting && (
        <Button variant="default" onClick={() => cancelling.mutate(found.id)} loading={cancelling.isPending}>
          Cancel
        </Button>
      )}
      {found.state === 'checked' && (
        <Button onClick={open} disabled={writes === 0}>
          Import {rowsText(writes)}…
        </Button>
      )}
      <Modal
        opened={isAsking}
        onClose={close}
        title={`Import ${found.file_name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack gap="sm">
          <Text size="sm">
            {found.created > 0 && `${rowsText(found.created)} will create a record. `}
            {found.changed > 0 && `${rowsText(found.changed)} will change a record. `}
            {found.failed > 0 && `${rowsText(found.failed)} with problems will be left out. `}
            Recorded rows stay in the history.
          </Text>
          {failed !== null && <Failure error={failed} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button
              onClick={() => running.mutate(found.id, { onSuccess: close })}
              loading={running.isPending}
              data-autofocus
            >
              Import
            </Button>
          </Group>
        </Stack>
      </Modal>
      {cancelling.isError && <Failure error={cancelling.error} />}
    </>
  );
}

function Outcome({ found }: { readonly found: Import }) {
  const { state, settled, rows } = found;
  if (isMoving(state)) {
    const isWaiting = state === 'check_queued' || state === 'queued';
    const share = rows === 0 ? 0 : (settled / rows) * 100;
    const text = isWaiting
      ? 'Waits for a worker.'
      : rows === 0
        ? 'Reading the file…'
        : `${settled.toLocaleString('en-GB')} of ${rowsText(rows)}`;
    return (
      <Stack gap={4} role="status">
        <Progress
          value={isWaiting || rows === 0 ? 100 : share}
          animated={!isWaiting}
          striped
          color={isWaiting ? 'gray' : 'indigo'}
          aria-label="Progress"
        />
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Stack>
    );
  }
  const { color, text } = OUTCOMES[state]!(found);
  return (
    <Alert color={color} role="status">
      {text}
    </Alert>
  );
}

const OUTCOMES: Readonly<Record<string, (found: Import) => { readonly color: string; readonly text: string }>> = {
  checked: ({ failed, problems, created, changed }) =>
    problems === 0
      ? {
          color: 'teal',
          text:
            created + changed === 0
              ? 'Every row is recorded already.'
              : 'The check found no problem. Nothing is written yet.',
        }
      : {
          color: 'orange',
          text: `${rowsText(failed)} cannot be imported. Correct the file and check it again, or import the rest. Nothing is written yet.`,
        },
  imported: ({ failed }) =>
    failed === 0
      ? { color: 'teal', text: 'Everything is imported.' }
      : { color: 'orange', text: `${rowsText(failed)} ${failed === 1 ? 'was' : 'were'} left out.` },
  refused: () => ({
    color: 'red',
    text: 'No row of this file can be imported, and nothing is written. Correct the listed problems, and check the file again.',
  }),
  cancelled: () => ({
    color: 'gray',
    text: 'This import was cancelled. Rows that were recorded before stay. The file is destroyed.',
  }),
  expired: () => ({
    color: 'gray',
    text: 'This import was not started within a day, and its file is destroyed. Check the file again.',
  }),
  failed: () => ({
    color: 'red',
    text: 'The workers ended several times during this import. Ask your operator for the reason. The file is destroyed.',
  }),
};

function Counts({ found }: { readonly found: Import }) {
  const isDone = found.state === 'imported';
  const tiles = [
    [isDone ? 'New' : 'Would be new', found.created],
    [isDone ? 'Changed' : 'Would change', found.changed],
    ['Recorded before', found.unchanged],
    [isDone ? 'Left out' : 'With problems', found.failed],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {tiles.map(([label, count]) => (
        <Card key={label} withBorder padding="sm">
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Text size="xl" fw={600}>
            {count.toLocaleString('en-GB')}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

function Problems({ found }: { readonly found: Import }) {
  const [text, setText] = useState(() => rememberedText(found.id));
  const [refusal, setRefusal] = useState<string | null>(null);
  const list = usePages(
    ['imports', found.id, 'problems', found.state],
    (after) =>
      answerOf(
        client.GET('/imports/{importId}/problems', {
          params: { path: { importId: found.id }, query: { limit: 100, ...after } },
        }),
      ),
    { enabled: found.are_problems_kept },
  );
  const { items: problems } = list;
  const lines = useMemo(() => text?.split('\n') ?? null, [text]);
  const head = useMemo(() => (text === null ? null : headOf(text)), [text]);
  const columns = useQuery({ queryKey: ['import-columns'], queryFn: () => answerOf(client.GET('/import-columns')) });
  const known = columns.data?.data.kinds.find(({ kind }) => kind === found.kind) ?? null;
  if (!found.are_problems_kept)
    return (
      <Alert color="gray">
        The problems are no longer kept: they are destroyed after seven days, and when a person is erased.
      </Alert>
    );
  const choose = async (file: File | null): Promise<void> => {
    if (file === null) return;
    try {
      const chosen = await textOfFile(file);
      rememberText(found.id, chosen);
      setText(chosen);
      setRefusal(null);
    } catch (error) {
      if (!(error instanceof UnusableFileError)) throw error;
      setRefusal(error.message);
    }
  };
  return (
    <Stack gap="xs" component="section" aria-label="Problems">
      <Group justify="space-between">
        <Text fw={600} component="h2" m={0}>
          {[countText(found.problems, 'problem'), countText(found.warnings, 'warning')]
            .filter((words) => words !== null)
            .join(', ')}
        </Text>
        <Group gap="xs">
          {lines === null && (
            <FileButton accept=".csv,text/csv" onChange={(file) => void choose(file)}>
              {(properties) => (
                <Button {...properties} variant="default" size="xs">
                  Choose the file again to see its rows
                </Button>
              )}
            </FileButton>
          )}
          <Button
            variant="default"
            size="xs"
            onClick={() => saveFile('problems.csv', tableOf(problems))}
            disabled={problems.length === 0}
          >
            Download as CSV
          </Button>
        </Group>
      </Group>
      {refusal !== null && (
        <Alert color="red" role="alert">
          {refusal}
        </Alert>
      )}
      <Reading of="problems" query={list} />
      {problems.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing={6} aria-label="Problems by line">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={64} ta="right">
                  Line
                </Table.Th>
                {lines !== null && <Table.Th>Row</Table.Th>}
                <Table.Th>Problem</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {byLine(problems).map(([line, own]) => (
                <Table.Tr key={line}>
                  <Table.Td className={classes.count!}>{line}</Table.Td>
                  {lines !== null && head !== null && (
                    <Table.Td>
                      <Row
                        head={head}
                        known={known}
                        line={lines[line - 1] ?? ''}
                        fields={own.map(({ field }) => field)}
                      />
                    </Table.Td>
                  )}
                  <Table.Td>
                    {own.map(({ field, issue, severity }) => (
                      <div key={`${field} ${issue}`}>
                        <Code>{field}</Code> {issue}
                        {severity === 'warning' && ' (warning)'}
                      </div>
                    ))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={list} />
    </Stack>
  );
}

interface RowProperties {
  readonly head: ReturnType<typeof headOf>;
  /** The columns of the kind of file; null while they are being read. */
  readonly known: KindColumns | null;
  readonly line: string;
  readonly fields: readonly string[];
}

/** The cells of a row, with those with a problem marked; an empty one by the name of its column. */
function Row({ head, known, line, fields }: RowProperties) {
  const names = head.headers.map((header) => (known === null ? header : (meaningOf(header, known) ?? header)));
  return (
    <div className={classes.row}>
      {cellsOfLine(line, head.delimiter).map((cell, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          {fields.includes(names[index] ?? '') ? (
            <mark title={names[index]}>{cell === '' ? `(no ${names[index]})` : cell}</mark>
          ) : (
            cell
          )}
        </Fragment>
      ))}
    </div>
  );
}

function byLine(problems: readonly Problem[]): readonly (readonly [number, readonly Problem[]])[] {
  const lines = new Map<number, Problem[]>();
  for (const problem of problems) lines.set(problem.line, [...(lines.get(problem.line) ?? []), problem]);
  return [...lines];
}

function tableOf(problems: readonly Problem[]): string {
  return csvOf(
    ['line', 'column', 'problem', 'severity'],
    problems.map(({ line, field, issue, severity }) => [line, field, issue, severity]),
  );
}

function countText(count: number, word: string): string | null {
  if (count === 0) return null;
  return count === 1 ? `1 ${word}` : `${count.toLocaleString('en-GB')} ${word}s`;
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count.toLocaleString('en-GB')} rows`;
}
