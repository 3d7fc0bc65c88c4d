import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { issueOf } from '../../data/issue-of.js';
import { useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Failure, Reading } from '../../ui/states.js';

type Body = Schemas['CreateTimeOffRequest'];
type Part = NonNullable<Body['start_day_part']>;

interface RequestProperties {
  /** The person who takes time off; the name is null for the user. */
  readonly person: { readonly id: string; readonly name: string | null };
  readonly onClose: () => void;
}

/** Requests time off for the user, or for somebody who reports to them. */
export function RequestTimeOff({ person, onClose }: RequestProperties) {
  const { t } = useTranslation('my-page');
  const { t: common } = useTranslation('common');
  const [category, setCategory] = useState('');
  const [[from, to], setDays] = useState<readonly [string, string]>(['', '']);
  const [part, setPart] = useState<Part>('full');
  const categories = useQuery({
    queryKey: ['time-off', 'categories'],
    queryFn: () => answerOf(client.GET('/time-off/categories')),
  });
  const write = useWrite((body: Body, header) => answerOf(client.POST('/time-off', { params: { header }, body })), {
    onSuccess: ({ data }) => {
      notifications.show({ message: t(data.status_code === 'approved' ? 'approvedNow' : 'requested'), color: 'teal' });
      onClose();
    },
  });
  const isOneDay = from !== '' && from === to;
  const issue = (field: string): string | undefined => issueOf(write.error, field);
  const open = (categories.data?.data ?? []).filter(({ is_active: isActive }) => isActive);
  return (
    <Dialog
      onClose={onClose}
      title={person.name === null ? t('request') : t('requestFor', { name: person.name })}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const days = { start_date: from, end_date: to, ...(isOneDay ? { start_day_part: part } : {}) };
          write.mutate({ person_id: person.id, category_id: category, ...days });
        }}
      >
        <Stack>
          <Reading of={t('category')} query={categories} />
          <NativeSelect
            label={t('category')}
            required
            data={[{ value: '', label: t('choose') }, ...open.map(({ id, label }) => ({ value: id, label }))]}
            value={category}
            onChange={({ target }) => setCategory(target.value)}
            error={issue('category_id')}
            data-autofocus
          />
          <SimpleGrid cols={2}>
            <TextInput
              label={t('first')}
              type="date"
              required
              value={from}
              onChange={({ target }) => setDays([target.value, to < target.value ? target.value : to])}
              error={issue('start_date')}
            />
            <TextInput
              label={t('last')}
              type="date"
              required
              min={from}
              value={to}
              onChange={({ target }) => setDays([from, target.value])}
              error={issue('end_date')}
            />
          </SimpleGrid>
          {isOneDay && (
            <NativeSelect
              label={t('part')}
              data={(['full', 'morning', 'afternoon'] as const).map((value) => ({ value, label: t(`parts.${value}`) }))}
              value={part}
              onChange={({ target }) => setPart(target.value as Part)}
              error={issue('start_day_part')}
            />
          )}
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('send')}
            closing={common('cancel')}
            isPending={write.isPending}
            isDisabled={category === '' || from === '' || to < from}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
