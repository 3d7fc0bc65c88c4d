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
import i18next, { type TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { listText, numberText } from '../../data/locale.js';
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
import { type Import, isMoving } from './kinds.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type Problem = Schemas['ImportProblemResponse'];

/** The heads of the CSV. */
const HEADS = ['line', 'column', 'problem', 'severity'] as const;

const POLL_MILLISECONDS = 700;

/** One import: its progress, its problems next to the rows, and its next step. */
export function OneImport() {
  const { t } = useTranslation('imports');
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
      title={found?.file_name ?? t('import')}
      note={
        <Group gap="xs">
          <ScreenLink to="/imports">{t('title')}</ScreenLink>
          {found !== undefined && (
            <>
              <StateBadge state={found.state} />
              <span>
                {t('one.askedFor', {
                  kind: t(`kinds.${found.kind}.label`),
                  time: dateTimeFormat(found.created_at),
                })}
              </span>
            </>
          )}
        </Group>
      }
      actions={found !== undefined && <Steps found={found} />}
    >
      <Reading of={t('one.theImport')} query={read} />
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
  const { t } = useTranslation('imports');
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
          {t('one.cancel')}
        </Button>
      )}
      {found.state === 'checked' && (
        <Button onClick={open} disabled={writes === 0}>
          {t('one.importRows', { count: writes })}
        </Button>
      )}
      <Modal
        opened={isAsking}
        onClose={close}
        title={t('one.confirmTitle', { name: found.file_name })}
        closeButtonProps={{ 'aria-label': i18next.t('close') }}
      >
        <Stack gap="sm">
          <Text size="sm">
            {[
              found.created > 0 && t('one.willCreate', { count: found.created }),
              found.changed > 0 && t('one.willChange', { count: found.changed }),
              found.failed > 0 && t('one.willLeaveOut', { count: found.failed }),
              t('one.stays'),
            ]
              .filter((sentence) => sentence !== false)
              .join(' ')}
          </Text>
          {failed !== null && <Failure error={failed} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('one.notNow')}
            </Button>
            <Button
              onClick={() => running.mutate(found.id, { onSuccess: close })}
              loading={running.isPending}
              data-autofocus
            >
              {t('one.import')}
            </Button>
          </Group>
        </Stack>
      </Modal>
      {cancelling.isError && <Failure error={cancelling.error} />}
    </>
  );
}

function Outcome({ found }: { readonly found: Import }) {
  const { t } = useTranslation('imports');
  const { state, settled, rows } = found;
  if (isMoving(state)) {
    const isWaiting = state === 'check_queued' || state === 'queued';
    const share = rows === 0 ? 0 : (settled / rows) * 100;
    const text = isWaiting
      ? t('one.waits')
      : rows === 0
        ? t('one.reading')
        : t('one.settled', { settled, count: rows });
    return (
      <Stack gap={4} role="status">
        <Progress
          value={isWaiting || rows === 0 ? 100 : share}
          animated={!isWaiting}
          striped
          color={isWaiting ? 'gray' : 'indigo'}
          aria-label={t('one.progress')}
        />
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Stack>
    );
  }
  const { color, text } = OUTCOMES[state]!(found, t);
  return (
    <Alert color={color} role="status">
      {text}
    </Alert>
  );
}

type Translate = TFunction<'imports'>;

const OUTCOMES: Readonly<
  Record<string, (found: Import, t: Translate) => { readonly color: string; readonly text: string }>
> = {
  checked: ({ failed, problems, created, changed }, t) =>
    problems === 0
      ? { color: 'teal', text: t(created + changed === 0 ? 'outcomes.allRecorded' : 'outcomes.noProblem') }
      : { color: 'orange', text: t('outcomes.cannot', { count: failed }) },
  imported: ({ failed }, t) =>
    failed === 0
      ? { color: 'teal', text: t('outcomes.everything') }
      : { color: 'orange', text: t('outcomes.leftOut', { count: failed }) },
  refused: (_, t) => ({ color: 'red', text: t('outcomes.refused') }),
  cancelled: (_, t) => ({ color: 'gray', text: t('outcomes.cancelled') }),
  expired: (_, t) => ({ color: 'gray', text: t('outcomes.expired') }),
  failed: (_, t) => ({ color: 'red', text: t('outcomes.failed') }),
};

function Counts({ found }: { readonly found: Import }) {
  const { t } = useTranslation('imports');
  const isDone = found.state === 'imported';
  const tiles = [
    [t(isDone ? 'counts.new' : 'counts.wouldBeNew'), found.created],
    [t(isDone ? 'counts.changed' : 'counts.wouldChange'), found.changed],
    [t('counts.before'), found.unchanged],
    [t(isDone ? 'counts.leftOut' : 'counts.withProblems'), found.failed],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {tiles.map(([label, count]) => (
        <Card key={label} withBorder padding="sm">
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Text size="xl" fw={600}>
            {numberText(count)}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  );
}

function Problems({ found }: { readonly found: Import }) {
  const { t } = useTranslation('imports');
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
  if (!found.are_problems_kept) return <Alert color="gray">{t('problems.notKept')}</Alert>;
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
    <Stack gap="xs" component="section" aria-label={t('problems.label')}>
      <Group justify="space-between">
        <Text fw={600} component="h2" m={0}>
          {listText([
            ...(found.problems === 0 ? [] : [t('problems.problem', { count: found.problems })]),
            ...(found.warnings === 0 ? [] : [t('problems.warning', { count: found.warnings })]),
          ])}
        </Text>
        <Group gap="xs">
          {lines === null && (
            <FileButton accept=".csv,text/csv" onChange={(file) => void choose(file)}>
              {(properties) => (
                <Button {...properties} variant="default" size="xs">
                  {t('problems.chooseAgain')}
                </Button>
              )}
            </FileButton>
          )}
          <Button
            variant="default"
            size="xs"
            onClick={() => saveFile(`${t('problems.fileName')}.csv`, tableOf(problems))}
            disabled={problems.length === 0}
          >
            {t('problems.download')}
          </Button>
        </Group>
      </Group>
      {refusal !== null && (
        <Alert color="red" role="alert">
          {refusal}
        </Alert>
      )}
      <Reading of={t('problems.problems')} query={list} />
      {problems.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing={6} aria-label={t('problems.byLine')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={64} ta="right">
                  {t('problems.line')}
                </Table.Th>
                {lines !== null && <Table.Th>{t('problems.row')}</Table.Th>}
                <Table.Th>{t('problems.issue')}</Table.Th>
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
                        {severity === 'warning' && ` ${t('problems.warning')}`}
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
  const { t } = useTranslation('imports');
  const names = head.headers.map((header) => (known === null ? header : (meaningOf(header, known) ?? header)));
  return (
    <div className={classes.row}>
      {cellsOfLine(line, head.delimiter).map((cell, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          {fields.includes(names[index] ?? '') ? (
            <mark title={names[index]}>{cell === '' ? t('problems.noValue', { column: names[index] }) : cell}</mark>
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
    HEADS.map((head) => i18next.t(`imports:csv.${head}`)),
    problems.map(({ line, field, issue, severity }) => [line, field, issue, severity]),
  );
}
