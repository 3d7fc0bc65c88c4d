import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { issueOf } from '../../data/issue-of.js';
import { useDraft } from '../../data/use-draft.js';
import { type Tagged, useBased, useTaggedWrite } from '../../data/use-tagged-write.js';
import { useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { PersonSelect } from '../../ui/person-select.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure, Reading } from '../../ui/states.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';
import { CountedDays, useCountedDays } from './counted-days.js';
import { spanText } from './span-text.js';

type TimeOff = Schemas['TimeOffResponse'];
type Part = NonNullable<Schemas['CreateTimeOffRequest']['start_day_part']>;

/** The content of the form. */
interface Content {
  readonly category_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly start_day_part: Part;
  readonly end_day_part: Part;
}

const EMPTY: Content = {
  category_id: '',
  start_date: '',
  end_date: '',
  start_day_part: 'full',
  end_day_part: 'full',
};

interface RequestProperties {
  /** The person who takes time off; the name is null for the user. Null if the user chooses one. */
  readonly person: { readonly id: string; readonly name: string | null } | null;
  /** The first and the last day, if the user has chosen them already. */
  readonly days?: readonly [from: string, to: string];
  readonly onClose: () => void;
}

/** Requests time off for the user, or for another person. */
export function RequestTimeOff({ person, days: [from, to] = ['', ''], onClose }: RequestProperties) {
  const { t } = useTranslation('time-off');
  // Days that were chosen in the calendar have a draft of their own: another would change them.
  const draft = useDraft<Content & { readonly chosen: string | null }>(`time-off.${person?.id ?? ''}.${from}.${to}`, {
    ...EMPTY,
    start_date: from,
    end_date: to,
    chosen: person?.id ?? null,
  });
  const { chosen, ...content } = draft.content;
  const showUndo = useUndo();
  const write = useWrite(
    (body: Schemas['CreateTimeOffRequest'], header) => answerOf(client.POST('/time-off', { params: { header }, body })),
    {
      onSuccess: ({ data }) => {
        draft.discard();
        if (data.status_code === 'approved') notifications.show({ message: t('request.approved'), color: 'teal' });
        else {
          const params = { path: { timeOffId: data.id }, header: onceOnly() };
          showUndo(t('request.sent'), () => answerOf(client.POST('/time-off/{timeOffId}/cancel', { params })));
        }
        onClose();
      },
    },
  );
  const body = chosen !== null && isComplete(content) ? { person_id: chosen, ...content } : null;
  const counted = useCountedDays(body === null ? null : { operation: 'createTimeOff', body });
  return (
    <Dialog
      onClose={onClose}
      title={person === null || person.name === null ? t('request.action') : t('request.of', { name: person.name })}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (body !== null) write.mutate(body);
        }}
      >
        <Stack>
          {draft.isRestored && <RestoredDraft onDiscard={draft.discard} />}
          {person === null && (
            <PersonSelect
              label={t('request.person')}
              withAsterisk
              value={chosen}
              valueName={null}
              onChange={(id) => draft.change({ chosen: id })}
              error={issueOf(write.error, 'person_id')}
              data-autofocus
            />
          )}
          <Fields content={content} onChange={draft.change} error={write.error} hasFocus={person !== null} />
          {body !== null && <CountedDays of={counted} personId={body.person_id} content={content} />}
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('request.send')}
            isPending={write.isPending}
            isDisabled={!counted.isShown || counted.error !== null}
            onClose={() => {
              draft.discard();
              onClose();
            }}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

interface ChangeProperties {
  /** The record with its entity tag. */
  readonly record: Tagged<TimeOff>;
  /** Moved days, which the user has still to confirm; by default those of the record. */
  readonly days?: readonly [from: string, to: string];
  readonly onClose: () => void;
}

/** Changes the days or the category of a record; it waits for a decision again unless its category needs none. */
export function ChangeTimeOff({ record, days, onClose }: ChangeProperties) {
  const { t } = useTranslation('time-off');
  const { id, person } = record.data;
  const based = useBased(record, () =>
    answerOf(client.GET('/time-off/{timeOffId}', { params: { path: { timeOffId: id } } })),
  );
  const [typed, setTyped] = useState<Partial<Content>>(
    days === undefined ? {} : { start_date: days[0], end_date: days[1] },
  );
  const content = { ...contentOf(based.answer.data), ...typed };
  const write = useTaggedWrite(
    based,
    (body: Schemas['UpdateTimeOffRequest'], header) =>
      answerOf(client.PATCH('/time-off/{timeOffId}', { params: { path: { timeOffId: id }, header }, body })),
    ({ data }) => {
      const isApproved = data.status_code === 'approved';
      notifications.show({ message: t(isApproved ? 'request.changedApproved' : 'request.changed'), color: 'teal' });
      onClose();
    },
  );
  const counted = useCountedDays(
    isComplete(content)
      ? { operation: 'updateTimeOff', time_off_id: id, if_match: based.answer.entityTag, body: content }
      : null,
    based.catchUp,
  );
  return (
    <Dialog
      onClose={onClose}
      title={t('request.changeTitle', { name: person.display_name })}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.send(content);
        }}
      >
        <Stack>
          {based.overtaken !== null && <LostRace differences={differencesOf(t, based.overtaken, based.answer.data)} />}
          <Fields
            content={content}
            onChange={(next) => setTyped(differing(next, contentOf(based.answer.data)))}
            error={write.error}
            hasFocus
          />
          <CountedDays of={counted} personId={null} content={content} />
          {write.error !== null && <Failure error={write.error} />}
          <FormButtons
            action={t('request.change')}
            isPending={write.isPending}
            isDisabled={!counted.isShown || counted.error !== null || counted.data === null}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** What another user has changed. */
function differencesOf(t: TFunction<'time-off'>, before: TimeOff, after: TimeOff): readonly Difference[] {
  const partsOf = ({ start_day_part: first, end_day_part: last }: TimeOff): string =>
    [...new Set([first, last])].map((part) => t(`dayParts.${part as Part}`)).join(', ');
  return [
    { what: t('request.category'), before: before.category.label, after: after.category.label },
    { what: t('record.days'), before: spanText(before), after: spanText(after) },
    { what: t('request.part'), before: partsOf(before), after: partsOf(after) },
  ].filter((row) => row.before !== row.after);
}

/** The fields that differ from those of the record, which another user may change meanwhile. */
function differing(content: Content, record: Content): Partial<Content> {
  return Object.fromEntries(
    Object.entries(content).filter(([name, value]) => value !== record[name as keyof Content]),
  ) as Partial<Content>;
}

const contentOf = ({ category, start_date, end_date, start_day_part, end_day_part }: TimeOff): Content => ({
  category_id: category.id,
  start_date,
  end_date,
  start_day_part,
  end_day_part,
});

const isComplete = ({ category_id: category, start_date: from, end_date: to }: Content): boolean =>
  category !== '' && from !== '' && to >= from;

interface FieldsProperties {
  readonly content: Content;
  readonly onChange: (content: Content) => void;
  readonly error: Error | null;
  readonly hasFocus: boolean;
}

function Fields({ content, onChange, error, hasFocus }: FieldsProperties) {
  const { t } = useTranslation('time-off');
  const categories = useQuery({
    queryKey: ['time-off', 'categories'],
    queryFn: () => answerOf(client.GET('/time-off/categories')),
  });
  const { category_id: category, start_date: from, end_date: to } = content;
  const offered = (categories.data?.data ?? []).filter(({ id, is_active }) => is_active || id === category);
  const change = (changed: Partial<Content>): void => onChange(withValidParts({ ...content, ...changed }));
  const issue = (field: string): string | undefined => issueOf(error, field);
  return (
    <>
      <Reading of={t('request.category')} query={categories} />
      <NativeSelect
        label={t('request.category')}
        required
        data={[{ value: '', label: t('request.choose') }, ...offered.map(({ id, label }) => ({ value: id, label }))]}
        value={category}
        onChange={({ target }) => change({ category_id: target.value })}
        error={issue('category_id')}
        data-autofocus={hasFocus || undefined}
      />
      <SimpleGrid cols={2}>
        <TextInput
          label={t('request.first')}
          type="date"
          required
          value={from}
          onChange={({ target: { value } }) => change({ start_date: value, end_date: to < value ? value : to })}
          error={issue('start_date')}
        />
        <TextInput
          label={t('request.last')}
          type="date"
          required
          min={from}
          value={to}
          onChange={({ target }) => change({ end_date: target.value })}
          error={issue('end_date')}
        />
      </SimpleGrid>
      {from !== '' && from === to && (
        <NativeSelect
          label={t('request.part')}
          data={(['full', 'morning', 'afternoon'] as const).map((value) => ({ value, label: t(`dayParts.${value}`) }))}
          value={content.start_day_part}
          onChange={({ target }) =>
            change({ start_day_part: target.value as Part, end_day_part: target.value as Part })
          }
          error={issue('start_day_part')}
        />
      )}
      {from !== '' && from < to && (
        <SimpleGrid cols={2}>
          <NativeSelect
            label={t('request.startPart')}
            data={(['full', 'afternoon'] as const).map((value) => ({ value, label: t(`request.startParts.${value}`) }))}
            value={content.start_day_part}
            onChange={({ target }) => change({ start_day_part: target.value as Part })}
            error={issue('start_day_part')}
          />
          <NativeSelect
            label={t('request.endPart')}
            data={(['full', 'morning'] as const).map((value) => ({ value, label: t(`request.endParts.${value}`) }))}
            value={content.end_day_part}
            onChange={({ target }) => change({ end_day_part: target.value as Part })}
            error={issue('end_day_part')}
          />
        </SimpleGrid>
      )}
    </>
  );
}

/** A single day has one part; several days leave no gap inside. */
function withValidParts(content: Content): Content {
  const { start_date: from, end_date: to, start_day_part: first, end_day_part: last } = content;
  if (from === to) return { ...content, end_day_part: first };
  return {
    ...content,
    start_day_part: first === 'morning' ? 'full' : first,
    end_day_part: last === 'afternoon' ? 'full' : last,
  };
}
