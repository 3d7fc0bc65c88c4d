import { Badge, Button, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { useMay } from '../../data/session.js';
import { Empty, Reading } from '../../ui/states.js';
import classes from './payroll.module.css';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { PersonOf } from './person-of.js';

type Person = Schemas['PayrollReadinessResponse'];
type Severity = Person['issues'][number]['severity'];

const PAGE_SIZE = 200;
const SEVERITIES: readonly Severity[] = ['blocking', 'warning', 'info'];
const COLOURS: Readonly<Record<Severity, string>> = { blocking: 'red', warning: 'orange', info: 'gray' };
/** The heads of the CSV. */
const HEADS = ['person_id', 'staff_id', 'name', 'severity', 'field', 'issue'] as const;

/** People who are not ready for payroll, and the reasons. */
export function Readiness() {
  const { t } = useTranslation('payroll');
  const [{ severity }, change] = useAddress<{ severity?: string }>();
  const maySeePeople = useMay('people:read');
  const chosen = SEVERITIES.find((one) => one === severity) ?? 'warning';
  const list = usePages(['payroll-readiness'], (after) =>
    answerOf(client.GET('/payroll-readiness-export', { params: { query: { limit: PAGE_SIZE, ...after } } })),
  );
  const { items: all } = list;
  const counted = SEVERITIES.slice(0, SEVERITIES.indexOf(chosen) + 1);
  const rows = all.flatMap((person) => {
    const issues = person.issues.filter((issue) => counted.includes(issue.severity));
    return issues.length === 0 ? [] : [{ ...person, issues }];
  });
  const blocked = all.filter(({ issues }) => issues.some((issue) => issue.severity === 'blocking')).length;
  return (
    <Stack>
      <Group gap="sm">
        <SegmentedControl
          aria-label={t('whichIssues')}
          value={chosen}
          onChange={(value) => change({ severity: value === 'warning' ? undefined : value })}
          data={[
            { value: 'blocking', label: t('severities.blocking') },
            { value: 'warning', label: t('blockingAndWarnings') },
            { value: 'info', label: t('all') },
          ]}
        />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={rows.length === 0}
          onClick={() => saveFile('payroll-readiness.csv', tableOf(rows))}
        >
          {t('downloadCsv')}
        </Button>
        {list.isSuccess && (
          <Text size="sm" c="dimmed" role="status">
            {t(list.hasNextPage ? 'orMoreBlocked' : 'peopleBlocked', { count: all.length, blocked })}
          </Text>
        )}
      </Group>
      <Reading of={t('whoIsReady')} query={list} />
      {list.isSuccess && all.length === 0 && <Empty title={t('noPeople.title')}>{t('noPeople.hint')}</Empty>}
      {all.length > 0 && rows.length === 0 && <Empty title={t('noIssues.title')}>{t('noIssues.hint')}</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing={6} highlightOnHover aria-label={t('withIssues')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('person')}</Table.Th>
                <Table.Th>{t('issues')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ person, issues }) => (
                <Table.Tr key={person.id}>
                  <Table.Td className={classes.person!}>
                    <PersonOf person={person} isLink={maySeePeople} />
                  </Table.Td>
                  <Table.Td>
                    <Stack gap={4}>
                      {issues.map(({ severity: own, field, issue }) => (
                        <Group key={field} gap="xs" wrap="nowrap" align="flex-start">
                          <Badge variant="light" color={COLOURS[own]} className={classes.badge!}>
                            {t(`severities.${own}`)}
                          </Badge>
                          <span>{issueText(field, own, issue)}</span>
                        </Group>
                      ))}
                    </Stack>
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

/**
 * An issue in the language of the user. A newer version of the service may have issues that this page does not
 * know: they are shown as they are.
 */
function issueText(field: string, severity: Severity, issue: string): string {
  const key = `payroll:issueTexts.${field}.${severity}` as 'payroll:issueTexts.custom_fields.warning';
  const keys = issue.slice(issue.indexOf(':') + 2);
  return i18next.t(key, { keys, defaultValue: issue });
}

function tableOf(rows: readonly Person[]): string {
  return csvOf(
    HEADS.map((head) => i18next.t(`payroll:heads.${head}`)),
    rows.flatMap(({ person, issues }) =>
      issues.map(({ severity, field, issue }) => [
        person.id,
        person.staff_id,
        person.display_name,
        severity,
        field,
        issueText(field, severity, issue),
      ]),
    ),
  );
}
