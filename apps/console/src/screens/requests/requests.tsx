import { Alert, Button, Card, Code, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, WorkforceError } from '@workforce-hr/client';
import { useState } from 'react';
import i18next from 'i18next';
import { Trans, useTranslation } from 'react-i18next';
import { numberText } from '../../data/locale.js';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { type Names, useNames } from '../../data/use-names.js';
import { usePages } from '../../data/use-pages.js';
import { Named } from '../../ui/named.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { Empty, Failure, Loading, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';

type Request = Schemas['RequestResponse'];
type State = { id?: string; status?: string; method?: string; route?: string; key?: string; user?: string };

const NARROW = { whiteSpace: 'nowrap' } as const;
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;

/** Requests of keys and users within the last days, without their content. */
export function Requests() {
  const { t } = useTranslation('requests');
  const [state, change] = useAddress<State>();
  return (
    <Page title={t('title')} note={t('note')}>
      <Group align="flex-end" gap="sm">
        <Typed label={t('requestId')} name="id" placeholder="req_…" width={250} />
        {state.id === undefined && <Filters state={state} change={change} />}
      </Group>
      {state.id === undefined ? <List state={state} /> : <One id={state.id} />}
    </Page>
  );
}

interface FiltersProperties {
  readonly state: State;
  readonly change: (change: { [Name in keyof State]?: State[Name] | undefined }) => void;
}

function Filters({ state, change }: FiltersProperties) {
  const { t } = useTranslation('requests');
  const caller = state.key ?? state.user;
  const names = useNames([caller ?? null]);
  return (
    <>
      <Select
        label={t('status')}
        placeholder={t('all')}
        clearable
        data={[
          { value: '2xx', label: t('succeeded') },
          { value: '4xx', label: t('refused') },
          { value: '5xx', label: t('failed') },
        ]}
        value={state.status ?? null}
        onChange={(status) => change({ status: status ?? undefined })}
        w={150}
      />
      <Select
        label={t('method')}
        placeholder={t('all')}
        clearable
        data={METHODS}
        value={state.method ?? null}
        onChange={(method) => change({ method: method ?? undefined })}
        w={110}
      />
      <Typed label={t('route')} name="route" placeholder="/api/v1/people/{personId}" width={250} />
      {caller !== undefined && (
        <Button variant="default" onClick={() => change({ key: undefined, user: undefined })}>
          <Trans t={t} i18nKey="ofCaller" components={[<Named key="caller" id={caller} names={names} />]} />
        </Button>
      )}
    </>
  );
}

interface TypedProperties {
  readonly label: string;
  readonly name: 'id' | 'route';
  readonly placeholder: string;
  /** In pixels. */
  readonly width: number;
}

/** A text that is searched for when it is complete. */
function Typed({ label, name, placeholder, width }: TypedProperties) {
  const [state, change] = useAddress<State>();
  const [typed, setTyped] = useState<string | null>(null);
  const search = (): void => {
    if (typed !== null) change({ [name]: typed.trim() });
    setTyped(null);
  };
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed ?? state[name] ?? ''}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={search}
      onKeyDown={({ key }) => key === 'Enter' && search()}
      w={{ base: '100%', xs: width }}
    />
  );
}

function List({ state }: { readonly state: State }) {
  const { t } = useTranslation('requests');
  const query = queryOf(state);
  const list = usePages(
    ['requests', query],
    (after) => answerOf(client.GET('/requests', { params: { query: { ...query, ...after } } })),
    {
      keepsPrevious: true,
    },
  );
  const { items } = list;
  return (
    <>
      <Reading of={t('requests')} query={list} />
      {list.isSuccess && items.length === 0 && <Empty title={t('none.title')}>{t('none.hint')}</Empty>}
      {items.length > 0 && <Rows of={items} />}
      <ShowMore of={list} />
    </>
  );
}

function Rows({ of }: { readonly of: readonly Request[] }) {
  const { t } = useTranslation('requests');
  const names = useNames(of.map(callerOf));
  return (
    <WideTable
      label={t('title')}
      minWidth={760}
      heads={[t('answered'), t('request'), t('status'), t('by'), t('time'), t('id')]}
    >
      {of.map((request) => (
        <Table.Tr key={request.request_id}>
          <Table.Td style={NARROW}>{dateTimeFormat(request.answered_at)}</Table.Td>
          <Table.Td>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <b>{request.method}</b> {request.route ?? t('unknownPath')}
            </Text>
          </Table.Td>
          <Table.Td>
            <Status of={request} />
          </Table.Td>
          <Table.Td>
            <Caller of={request} names={names} />
          </Table.Td>
          <Table.Td style={NARROW}>{durationText(request)}</Table.Td>
          <Table.Td>
            <ScreenLink to="/requests" search={{ id: request.request_id }} size="xs">
              {request.request_id}
            </ScreenLink>
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

function One({ id }: { readonly id: string }) {
  const { t } = useTranslation('requests');
  const mayAudit = useMay('audit:read');
  const request = useQuery({
    queryKey: ['requests', id],
    queryFn: () => answerOf(client.GET('/requests/{requestId}', { params: { path: { requestId: id } } })),
    retry: false,
  });
  const isUnknown = request.error instanceof WorkforceError && request.error.status === 404;
  return (
    <Stack>
      {request.isPending && <Loading of={t('theRequest')} />}
      {isUnknown && (
        <Alert title={t('unknown.title')}>
          <Trans t={t} i18nKey="unknown.hint" components={[<Code key="header" />]} />
        </Alert>
      )}
      {request.isError && !isUnknown && <Failure error={request.error} onRetry={() => void request.refetch()} />}
      {request.isSuccess && <Details of={request.data.data} />}
      <Group>
        <ScreenLink to="/requests" size="sm">
          {t('allRequests')}
        </ScreenLink>
        {mayAudit && request.isSuccess && (
          <ScreenLink
            to="/audit"
            search={{ actor: request.data.data.key_id ?? request.data.data.user_id ?? undefined }}
            size="sm"
          >
            {t('eventsOfCaller')}
          </ScreenLink>
        )}
      </Group>
    </Stack>
  );
}

function Details({ of: request }: { readonly of: Request }) {
  const { t } = useTranslation('requests');
  const names = useNames([callerOf(request)]);
  const rows: readonly (readonly [string, React.ReactNode])[] = [
    [t('answered'), dateTimeFormat(request.answered_at)],
    [t('request'), `${request.method} ${request.route ?? t('unknownPath')}`],
    [t('operation'), request.operation ?? t('noOperation')],
    [t('status'), <Status key="status" of={request} />],
    [t('by'), <Caller key="caller" of={request} names={names} />],
    [t('time'), durationText(request)],
    [t('id'), <Code key="id">{request.request_id}</Code>],
  ];
  return (
    <Card withBorder component="section" aria-label={t('request')}>
      <Table withRowBorders={false} verticalSpacing={4} variant="vertical" aria-label={t('request')}>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={120}>{name}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function Status({ of: { status, error_code: code } }: { readonly of: Request }) {
  const tone: Tone = status >= 500 ? 'bad' : status >= 400 ? 'watch' : 'good';
  return <StateBadge tone={tone}>{code === null ? String(status) : `${status} ${code}`}</StateBadge>;
}

function Caller({ of: request, names }: { readonly of: Request; readonly names: Names }) {
  const { key_id: key, user_id: user } = request;
  return (
    <ScreenLink to="/requests" search={key === null ? { user: user ?? undefined } : { key }} size="xs">
      <Named id={callerOf(request)} names={names} />
    </ScreenLink>
  );
}

const callerOf = ({ key_id: key, user_id: user }: Request): string => key ?? user ?? '';

const durationText = ({ duration_milliseconds: milliseconds }: Request): string =>
  i18next.t('requests:milliseconds', { duration: numberText(milliseconds, milliseconds < 10 ? 1 : 0) });

function queryOf({ status, method, route, key, user }: State) {
  const asked = METHODS.find((one) => one === method);
  return {
    ...(status === undefined ? {} : { status }),
    ...(asked === undefined ? {} : { method: asked }),
    ...(route === undefined ? {} : { route }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(user === undefined ? {} : { user_id: user }),
  };
}
