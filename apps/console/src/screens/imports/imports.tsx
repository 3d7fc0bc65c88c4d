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
  return (
    <Page title="Imports" note="The service checks a file first, and writes nothing until you confirm.">
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
  const { hint, columns, isNaming } = KINDS[kind];
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
    <Card withBorder padding="md" component="section" aria-label="New import">
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <Select
            label="What the file contains"
            data={NAMES.map((value) => ({ value, label: KINDS[value].label }))}
            value={kind}
            allowDeselect={false}
            onChange={(value) => change({ kind: value === 'people' ? undefined : (value ?? undefined) })}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(`${kind.replaceAll('_', '-')}.csv`, csvOf(columns, []))}
          >
            Empty file with all columns
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {hint} Columns:{' '}
          {columns
            .map((column) => <Code key={column}>{column}</Code>)
            .reduce<React.ReactNode[]>((all, code) => [...all, ' ', code], [])}
        </Text>
        <Tabs
          value={isPasting ? 'paste' : 'file'}
          onChange={(by) => change({ by: by === 'paste' ? 'paste' : undefined })}
        >
          <Tabs.List aria-label="Where the rows come from">
            <Tabs.Tab value="file">From a file</Tabs.Tab>
            <Tabs.Tab value="paste">Paste rows</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="file" pt="sm">
            <FileDrop file={file} onFile={(chosen) => void take(chosen)} />
          </Tabs.Panel>
          <Tabs.Panel value="paste" pt="sm">
            <Textarea
              label="Rows as CSV, with the header"
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
            label="Create departments, work places and work types that are not there yet"
            checked={createsMissing}
            onChange={({ target }) => setCreatesMissing(target.checked)}
          />
        )}
        {kind === 'people' && <PeopleFields said={people} onChange={setPeople} />}
        {known !== null && strangers.length > 0 && (
          <ColumnChoices headers={strangers} known={known} chosen={chosen} onChange={setMapping} />
        )}
        <Checkbox
          label="Refuse the file if it has a column that is not recognised"
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
            Check the {isPasting ? 'rows' : 'file'}
          </Button>
          <Text size="xs" c="dimmed">
            The file is kept encrypted until the import has ended, for a day at most.
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
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        type="date"
        label="Terms of existing people hold from"
        description="For rows without an effective_date"
        value={said.effectiveDate}
        onChange={({ target }) => onChange({ ...said, effectiveDate: target.value })}
      />
      <Select
        label="A person is named by"
        description="Choose staff_id for people with a new address"
        placeholder="Ask where it is not clear"
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
              {file === null ? 'Choose a file' : 'Choose another file'}
            </Button>
          )}
        </FileButton>
        <Text size="sm" {...(file === null ? { c: 'dimmed' } : {})} aria-live="polite">
          {file === null ? 'or drop a CSV file here' : `${file.name}: ${linesIn(file.text)} after the header`}
        </Text>
      </Group>
    </div>
  );
}

/** The lines after the header, before which a spreadsheet may name its separator (`sep=;`). */
function linesIn(text: string): string {
  const lines =
    text
      .replace(/^sep=.\n/i, '')
      .trimEnd()
      .split('\n').length - 1;
  return lines === 1 ? '1 line' : `${Math.max(0, lines).toLocaleString('en-GB')} lines`;
}

function FormerImports() {
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
      <Reading of="imports" query={list} />
      {list.isSuccess && rows.length === 0 && (
        <Empty title="Nothing was imported here yet">Imports of the last ninety days are listed here.</Empty>
      )}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table highlightOnHover verticalSpacing={6} aria-label="Former imports">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>File</Table.Th>
                <Table.Th>Contains</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th ta="right">Rows</Table.Th>
                <Table.Th ta="right">New</Table.Th>
                <Table.Th ta="right">Changed</Table.Th>
                <Table.Th ta="right">Refused</Table.Th>
                <Table.Th>Asked for</Table.Th>
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
      <Table.Td>{KINDS[kind].label}</Table.Td>
      <Table.Td>
        <StateBadge state={state} />
      </Table.Td>
      {[rows, created, changed, failed].map((count, index) => (
        <Table.Td key={index} className={classes.count!}>
          {count.toLocaleString('en-GB')}
        </Table.Td>
      ))}
      <Table.Td>{dateTimeFormat(at)}</Table.Td>
    </Table.Tr>
  );
}

/** The state of an import, in words and colour. */
export function StateBadge({ state }: { readonly state: Import['state'] }) {
  const { label, color } = STATES[state];
  return (
    <Badge variant="light" color={color} className={classes.state!}>
      {label}
    </Badge>
  );
}
