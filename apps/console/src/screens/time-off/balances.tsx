import { Group, Stack, Table, Text } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { csvOf } from '../../data/csv.js';
import { amountText, shortDayText } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { DownloadAll } from '../../ui/download-all.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';

type Row = Schemas['PersonBalances'];

const PAGE_SIZE = 100;

interface BalancesProperties {
  readonly department: string | undefined;
  /** The balances are those of the end of this day; of today if it is undefined. */
  readonly asOf: string | undefined;
}

/** The balances of all people at the end of a day, in each category that keeps a balance. */
export function Balances({ department, asOf }: BalancesProperties) {
  const { t } = useTranslation('time-off');
  const query = {
    limit: PAGE_SIZE,
    ...(asOf === undefined ? {} : { as_of: asOf }),
    ...(department === undefined ? {} : { department_id: department, include_units: true }),
  };
  const balances = usePages(['time-off', 'balances', query], (after) =>
    answerOf(client.GET('/time-off/balances', { params: { query: { ...query, ...after } } })),
  );
  const { items: rows } = balances;
  const categories = rows[0]?.balances.map(({ category }) => category) ?? [];
  return (
    <Stack>
      <Reading of={t('balances.reading')} query={balances} />
      {balances.isSuccess && rows.length === 0 && <Empty title={t('balances.noPeople')} />}
      {rows.length > 0 && categories.length === 0 && <Empty title={t('balances.noCategory')} />}
      {rows.length > 0 && categories.length > 0 && (
        <>
          <Group>
            <DownloadAll of={balances} fileName={`balances-${rows[0]!.as_of}.csv`} tableOf={tableOf} />
            <Text size="sm" c="dimmed">
              {t('balances.explanation', { day: shortDayText(rows[0]!.as_of) })}
            </Text>
          </Group>
          <Table.ScrollContainer minWidth={480}>
            <Table highlightOnHover verticalSpacing={6} aria-label={t('balances.label')}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('name')}</Table.Th>
                  {categories.map(({ id, label }) => (
                    <Table.Th key={id}>{label}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map(({ person, as_of, balances: own }) => (
                  <Table.Tr key={person.id}>
                    <Table.Td>
                      <ScreenLink to={`/people/${person.id}/balance`} search={{ as_of }} size="sm" title={person.id}>
                        {person.display_name}
                      </ScreenLink>
                    </Table.Td>
                    {own.map((balance) => (
                      <Table.Td key={balance.category.id}>
                        {amountText(balance, 'available')}
                        {balance.pending > 0 && (
                          <Text span size="xs" c="dimmed">
                            {t('balances.requested', { amount: amountText(balance, 'pending') })}
                          </Text>
                        )}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
      <ShowMore of={balances} />
    </Stack>
  );
}

const HEADS = [
  'person_id',
  'name',
  'as_of',
  'category',
  'amounts_unit',
  'accrued',
  'carried_over',
  'adjusted',
  'taken',
  'scheduled',
  'pending',
  'remaining',
  'available',
  'available_days',
] as const;

function tableOf(rows: readonly Row[]): string {
  return csvOf(
    HEADS.map((head) => i18next.t(`time-off:balances.heads.${head}`)),
    rows.flatMap(({ person, as_of, balances }) =>
      balances.map(({ category, ...minutes }) => [
        person.id,
        person.display_name,
        as_of,
        category.label,
        i18next.t('time-off:balances.minutes'),
        minutes.accrued,
        minutes.carried_over,
        minutes.adjusted,
        minutes.taken,
        minutes.scheduled,
        minutes.pending,
        minutes.remaining,
        minutes.available,
        minutes.days?.available ?? null,
      ]),
    ),
  );
}
