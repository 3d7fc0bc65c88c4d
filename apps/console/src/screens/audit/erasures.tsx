import { Code, Stack, Table, Text } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { Trans, useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { ActorText } from './actor-text.js';

/** Erased people with the time, the actor and the reason, newest first. */
export function Erasures() {
  const { t } = useTranslation('audit');
  const erasures = usePages(['activity', 'erasures'], (after) =>
    answerOf(client.GET('/activity', { params: { query: { type: 'PersonErased', ...after } } })),
  );
  const { items } = erasures;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        <Trans ns="audit" i18nKey="erasuresHint" components={{ command: <Code>workforce people erase</Code> }} />
      </Text>
      <Reading of={t('erasuresNoun')} query={erasures} />
      {erasures.isSuccess && items.length === 0 && <Empty title={t('noErasures')} />}
      {items.length > 0 && (
        <WideTable
          label={t('views.erasures')}
          minWidth={600}
          heads={[t('erased'), t('person'), t('by'), t('reasonHead')]}
        >
          {items.map(({ id, recorded_at: at, resource, actor, reason }) => (
            <Table.Tr key={id}>
              <Table.Td>{dateTimeFormat(at)}</Table.Td>
              <Table.Td>
                <Code>{resource.id}</Code>
              </Table.Td>
              <Table.Td>
                <ActorText of={actor} />
              </Table.Td>
              <Table.Td>{reason}</Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
      <ShowMore of={erasures} />
    </Stack>
  );
}
