import {
  Alert,
  Badge,
  Button,
  Card,
  Checkbox,
  Code,
  FileButton,
  Group,
  Select,
  Stack,
  Table,
  Tabs,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import { type DragEvent, useMemo, useState } from 'react';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../data/locale.js';
import { useAddress } from '../../data/address.js';
import { client } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { dateTimeFormat } from '../../data/days.js';
import { useWrite } from '../../data/use-write.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { ColumnChoices } from './column-choices.js';
import { headOf, type KindColumns, type Mapping, meaningOf, mergedMapping } from './columns.js';
import { rememberText, textOfFile, UnusableFileError, usableText } from './file-text.js';
import classes from './imports.module.css';
import { type Import, isMoving, type Kind, KINDS, STATES } from './kinds.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

const POLL_MILLISECONDS = 2_000;
const NAMES = Object.keys(KINDS) as readonly Kind[];

/** Imports of files: a new one, and earlier ones. */
export function Imports() {
  const { t } = useTranslation('imports');
  return (
    <Page title={t('title')} note={t('note')}>
      <NewImport />
      <FormerImports />
    </Page>
  );
}

interface File {
  readonly name: string;
  readonly text: string;
}

/** The user's options for a file of people. */
interface PeopleChoices {
  readonly effectiveDate: string;
  readonly matchBy: 'work_email' | 'staff_id' | null;
}

const NOTHING_SAID: PeopleChoices = { effectiveDate: '', matchBy: null };

function NewImport() {
  const { t } = useTranslation('imports');
  const [state, change] = useAddress<{ kind?: string; by?: string }>();
  const navigate = useNavigate();
  const [file, setFile] = useState<File | null>(null);
  const [pasted, setPasted] = useState('');
  const [createsMissing, setCreatesMissing] = useState(false);
  const [people, setPeople] = useState(NOTHING_SAID);
  const [refusesUnknown, setRefusesUnknown] = useState(false);
  const [mapping, setMapping] = useState<Mapping>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const kind = NAMES.find((name) => name === state.kind) ?? 'people';
  const { columns, isNaming } = KINDS[kind];
  const isPasting = state.by === 'paste';
  const described = useQuery({ queryKey: ['import-columns'], queryFn: () => answerOf(client.GET('/import-columns')) });
  const known = described.data?.data.kinds.find((one) => one.kind === kind) ?? null;
  const strangers = useUnrecognised(isPasting ? pasted : (file?.text ?? ''), known);
  const chosen = mapping.filter(({ header }) => strangers.includes(header));
  const mapColumns = useWrite((entries: Mapping, headers) =>
    answerOf(client.PATCH('/import-columns', { params: { header: headers }, body: { kind, mapping: [...entries] } })),
  );
  const sending = useWrite(
    async (
      { name, text, ...said }: File & PeopleChoices & { readonly refusesUnknown: boolean; readonly entries: Mapping },
      headers,
    ) => {
      if (said.entries.length > 0 && known !== null)
        await mapColumns.mutateAsync(mergedMapping(known.mapping, said.entries));
      return answerOf(
        client.POST('/imports', {
          params: { header: headers },
          body: {
            kind,
            file_name: name,
            csv: text,
            dry_run: true,
            create_missing: isNaming && createsMissing,
            effective_date: said.effectiveDate === '' ? null : said.effectiveDate,
            match_by: said.matchBy,
            refuse_unknown_columns: said.refusesUnknown,
          },
        }),
      );
    },
    {
      onSuccess: ({ data }, { text }) => {
        rememberText(data.id, text);
        void navigate({ to: `/imports/${data.id}` as never });
      },
    },
  );
  const take = async (chosen: globalThis.File | null | undefined): Promise<void> => {
    if (chosen === null || chosen === undefined) return;
    await attempt(setProblem, async () => setFile({ name: chosen.name.slice(0, 200), text: await textOfFile(chosen) }));
  };
  const send = (): Promise<void> =>
    attempt(setProblem, async () => {
      const requested = isPasting ? { name: 'pasted.csv', text: usableText(pasted) } : file;
      const said = kind === 'people' ? people : NOTHING_SAID;
      if (requested !== null) sending.mutate({ ...requested, ...said, refusesUnknown, entries: chosen });
    });
  return (
    <Card withBorder padding="md" component="section" aria-label={t('new')}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <Select
            label={t('contains')}
            data={NAMES.map((value) => ({ value, label: t(`kinds.${value}.label`) }))}
            value={kind}
            allowDeselect={false}
            onChange={(value) => change({ kind: value === 'people' ? undefined : (value ?? undefined) })}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(`${kind.replaceAll('_', '-')}.csv`, csvOf(columns, []))}
          >
            {t('emptyFile')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t(`kinds.${kind}.hint`)} {t('columns')}{' '}
          {columns
            .map((column) => <Code key={column}>{column}</Code>)
            .reduce<React.ReactNode[]>((all, code) => [...all, ' ', code], [])}
        </Text>
        <Tabs
          value={isPasting ? 'paste' : 'file'}
          onChange={(by) => change({ by: by === 'paste' ? 'paste' : undefined })}
        >
          <Tabs.List aria-label={t('source')}>
            <Tabs.Tab value="file">{t('fromFile')}</Tabs.Tab>
            <Tabs.Tab value="paste">{t('paste')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="file" pt="sm">
            <FileDrop file={file} onFile={(chosen) => void take(chosen)} />
          </Tabs.Panel>
          <Tabs.Panel value="paste" pt="sm">
            <Textarea
              label={t('rowsAsCsv')}
              autosize
              minRows={5}
              maxRows={14}
              value={pasted}
              spellCheck={false}
              classNames={{ input: classes.rows! }}
              placeholder={`${columns.slice(0, 4).join(',')}\n`}
              onChange={({ target }) => setPasted(target.value)}
            />
          </Tabs.Panel>
        </Tabs>
        {isNaming && (
          <Checkbox
            label={t('createMissing')}
            checked={createsMissing}
            onChange={({ target }) => setCreatesMissing(target.checked)}
          />
        )}
        {kind === 'people' && <PeopleFields said={people} onChange={setPeople} />}
        {known !== null && strangers.length > 0 && (
          <ColumnChoices headers={strangers} known={known} chosen={chosen} onChange={setMapping} />
        )}
        <Checkbox
          label={t('refuseUnknown')}
          checked={refusesUnknown}
          onChange={({ target }) => setRefusesUnknown(target.checked)}
        />
        {problem !== null && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        {sending.isError && <Failure error={sending.error} />}
        <Group>
          <Button
            onClick={() => void send()}
            loading={sending.isPending}
            disabled={isPasting ? pasted.trim() === '' : file === null}
          >
            {t(isPasting ? 'checkRows' : 'checkFile')}
          </Button>
          <Text size="xs" c="dimmed">
            {t('encrypted')}
          </Text>
        </Group>
      </Stack>
    </Card>
  );
}

/** Headers of a text without a column. */
function useUnrecognised(text: string, known: KindColumns | null): readonly string[] {
  return useMemo(() => {
    if (known === null || text.trim() === '') return [];
    const { headers } = headOf(text);
    return [...new Set(headers.filter((header) => header !== '' && meaningOf(header, known) === undefined))];
  }, [text, known]);
}

function PeopleFields({
  said,
  onChange,
}: {
  readonly said: PeopleChoices;
  readonly onChange: (said: PeopleChoices) => void;
}) {
  const { t } = useTranslation('imports');
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        type="date"
        label={t('termsFrom')}
        description={t('termsFromHint')}
        value={said.effectiveDate}
        onChange={({ target }) => onChange({ ...said, effectiveDate: target.value })}
      />
      <Select
        label={t('namedBy')}
        description={t('namedByHint')}
        placeholder={t('askIfUnclear')}
        data={['work_email', 'staff_id']}
        value={said.matchBy}
        clearable
        onChange={(value) => onChange({ ...said, matchBy: value as PeopleChoices['matchBy'] })}
      />
    </Group>
  );
}

async function attempt(report: (problem: string | null) => void, work: () => Promise<void>): Promise<void> {
  report(null);
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    report(error.message);
  }
}

/** A place to drop a file; the button does the same for the keyboard. */
function FileDrop({
  file,
  onFile,
}: {
  readonly file: File | null;
  readonly onFile: (file: globalThis.File | null | undefined) => void;
}) {
  const { t } = useTranslation('imports');
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    onFile(event.dataTransfer.files[0]);
  };
  return (
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Group gap="sm" justify="center">
        <FileButton accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain" onChange={onFile}>
          {(properties) => (
            <Button {...properties} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
              {t(file === null ? 'chooseFile' : 'chooseAnother')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" {...(file === null ? { c: 'dimmed' } : {})} aria-live="polite">
          {file === null ? t('dropHere') : t('fileLines', { name: file.name, count: linesIn(file.text) })}
        </Text>
      </Group>
    </div>
  );
}

/** The lines after the header, before which a spreadsheet may name its separator (`sep=;`). */
function linesIn(text: string): number {
  const lines = text
    .replace(/^sep=.\n/i, '')
    .trimEnd()
    .split('\n');
  return Math.max(0, lines.length - 1);
}

function FormerImports() {
  const { t } = useTranslation('imports');
  const list = usePages(
    ['imports'],
    (after) => answerOf(client.GET('/imports', { params: { query: { limit: 25, ...after } } })),
    {
      refetchInterval: (items) => (items.some((one) => isMoving(one.state)) ? POLL_MILLISECONDS : false),
    },
  );
  const { items: rows } = list;
  return (
    <>
      <Reading of={t('imports')} query={list} />
      {list.isSuccess && rows.length === 0 && <Empty title={t('none.title')}>{t('none.hint')}</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table highlightOnHover verticalSpacing={6} aria-label={t('former')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('heads.file')}</Table.Th>
                <Table.Th>{t('heads.contains')}</Table.Th>
                <Table.Th>{t('heads.state')}</Table.Th>
                <Table.Th ta="right">{t('heads.rows')}</Table.Th>
                <Table.Th ta="right">{t('heads.new')}</Table.Th>
                <Table.Th ta="right">{t('heads.changed')}</Table.Th>
                <Table.Th ta="right">{t('heads.refused')}</Table.Th>
                <Table.Th>{t('heads.askedFor')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{rows.map(rowOf)}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={list} />
    </>
  );
}

function rowOf({ id, file_name: name, kind, state, rows, created, changed, failed, created_at: at }: Import) {
  return (
    <Table.Tr key={id}>
      <Table.Td>
        <ScreenLink to={`/imports/${id}`} size="sm">
          {name}
        </ScreenLink>
      </Table.Td>
      <Table.Td>{i18next.t(`imports:kinds.${kind}.label`)}</Table.Td>
      <Table.Td>
        <StateBadge state={state} />
      </Table.Td>
      {[rows, created, changed, failed].map((count, index) => (
        <Table.Td key={index} className={classes.count!}>
          {numberText(count)}
        </Table.Td>
      ))}
      <Table.Td>{dateTimeFormat(at)}</Table.Td>
    </Table.Tr>
  );
}

/** The state of an import, in words and colour. */
export function StateBadge({ state }: { readonly state: Import['state'] }) {
  const { t } = useTranslation('imports');
  return (
    <Badge variant="light" color={STATES[state]} className={classes.state!}>
      {t(`states.${state}`)}
    </Badge>
  );
}
