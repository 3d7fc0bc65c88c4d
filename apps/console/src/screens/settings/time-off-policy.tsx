import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { changesOf } from '../../data/changes-of.js';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client, type Schemas } from '../../data/client.js';
import { Reading } from '../../ui/states.js';
import { BalancePreview } from './balance-preview.js';
import { type Base, useFields, valuesOf } from './facts.js';
import { FormBody, useResourceForm } from './resource-form.js';
import { useTexts } from './texts.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';

type Settings = Schemas['UpdateTimeOffSettingsRequest'];

/** The rules by which balances are calculated, beside what they do to one person. */
export function TimeOffPolicy() {
  const t = useTexts();
  const fields = useFields('time-off-settings');
  const read = async (): Promise<Base> => {
    const { data, entityTag } = await answerOf(client.GET('/time-off/settings'));
    return { values: valuesOf(fields, data), entityTag };
  };
  const base = useQuery({ queryKey: ['time-off', 'settings'], queryFn: read });
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw={640}>
        {t('policy.purpose')}
      </Text>
      <Reading of={t('policy.these')} query={base} />
      {base.data !== undefined && <PolicyForm key={base.data.entityTag} base={base.data} reread={read} />}
    </Stack>
  );
}

function PolicyForm({ base, reread }: { readonly base: Base; readonly reread: () => Promise<Base> }) {
  const t = useTexts();
  const undo = useUndo();
  const form = 'time-off-settings';
  const fields = useFields(form);
  const send = (body: Settings, header: { readonly 'Idempotency-Key': string }) =>
    answerOf(client.PATCH('/time-off/settings', { params: { header }, body }));
  const state = useResourceForm({
    form,
    id: '',
    fields,
    base,
    reread,
    write: (values, header) => send(values as Settings, header),
    onSuccess: () => undo(t('policy.saved'), () => send(base.values as Settings, onceOnly())),
  });
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <FormBody
        {...{ form, fields, state }}
        buttons={
          <Group>
            <Button type="submit" loading={state.isPending} disabled={!state.isChanged}>
              {t('form.save')}
            </Button>
            <Button variant="default" disabled={!state.isChanged} onClick={() => state.setValues(state.base.values)}>
              {t('form.reset')}
            </Button>
          </Group>
        }
      />
      <BalancePreview proposed={{ settings: changesOf(state.values, state.base.values) }} />
    </SimpleGrid>
  );
}
