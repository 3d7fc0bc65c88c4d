import { Button, Code, Collapse, Group, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconPrinter } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat, shortDayText } from '../../data/days.js';
import { listText } from '../../data/locale.js';
import { eventName, fieldName, recordedText } from '../../data/recorded-words.js';
import { useMay } from '../../data/session.js';
import { type Names, useNames } from '../../data/use-names.js';
import { usePages } from '../../data/use-pages.js';
import { FieldChanges } from '../../ui/field-changes.js';
import { SavedViews } from '../../ui/saved-views.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { ActorText, ACTOR_TYPES } from './actor-text.js';
import classes from './audit.module.css';
import { ActorFilter, type AuditState, Choice, FILTERS, instantsFrom, PersonAndDays } from './filters.js';
import { isResource, RESOURCES } from './resources.js';
import { EventSentence, idsToName } from './sentence.js';

type Entry = Schemas['ActivityResponse'];

/** The changed fields that a closed entry names. */
const MAX_NAMED_FIELDS = 4;

/** Recorded events, newest first. */
export function Activity() {
  const { t } = useTranslation('audit');
  const [state, change] = useAddress<AuditState>();
  const query = queryOf(state);
  const entries = usePages(
    ['activity', query],
    (after) => answerOf(client.GET('/activity', { params: { query: { ...query, ...after } } })),
    { keepsPrevious: true },
  );
  const { items } = entries;
  const names = useNames(items.flatMap(idsToName));
  return (
    <Stack>
      <Group align="flex-end" gap="sm" className={classes.screenOnly!}>
        <PersonAndDays />
        <ActorFilter />
        <Choice
          label={t('recordedBy')}
          name="by"
          options={ACTOR_TYPES.map((value) => ({ value, label: t(`actors.${value}`) }))}
        />
        <Choice
          label={t('resource')}
          name="resource"
          options={RESOURCES.map((value) => ({ value, label: t(`resources.${value}`) }))}
        />
        <SavedViews
          of="audit-views"
          state={Object.fromEntries(FILTERS.map((name) => [name, state[name]]))}
          names={FILTERS}
          onOpen={(view) => change(view, { push: true })}
        />
        <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
          {t('print')}
        </Button>
      </Group>
      {state.type !== undefined && (
        <Group gap="xs" className={classes.screenOnly!}>
          <Text size="sm">
            {t('onlyType')} {eventName(state.type)} <Code>{state.type}</Code>
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => change({ type: undefined })}>
            {t('allTypes')}
          </Button>
        </Group>
      )}
      <Reading of={t('activityNoun')} query={entries} />
      {entries.isSuccess && items.length === 0 && (
        <Empty title={t('nothingRecorded')}>{t('nothingRecordedHint')}</Empty>
      )}
      <ol className={classes.entries} aria-label={t('views.activity')}>
        {items.map((entry) => (
          <EntryItem key={entry.id} entry={entry} names={names} onType={() => change({ type: entry.type })} />
        ))}
      </ol>
      <ShowMore of={entries} />
    </Stack>
  );
}

interface EntryProperties {
  readonly entry: Entry;
  readonly names: Names;
  readonly onType: () => void;
}

function EntryItem({ entry, names, onType }: EntryProperties) {
  const { t } = useTranslation('audit');
  const [isOpen, setIsOpen] = useState(false);
  const { approved_by: approver, effective_date: day, reason, supersedes, recorded_at: at } = entry;
  return (
    <li className={classes.entry}>
      <Group align="flex-start" gap="xs">
        <Text size="xs" c="dimmed" className={classes.when!} pt={2}>
          {dateTimeFormat(at)}
        </Text>
        <div className={classes.what}>
          <Text size="sm" component="p" m={0}>
            <EventSentence of={entry} names={names} />{' '}
            {supersedes !== null && <StateBadge tone="watch">{t('corrects')}</StateBadge>}
          </Text>
          <Text size="xs" c="dimmed">
            {summaryOf(t, entry)}
            {approver !== null && (
              <>
                {' '}
                {t('approvedBy')} <ActorText of={approver} />.
              </>
            )}
            {day !== null && ` ${t('withEffectOn', { day: shortDayText(day) })}`}
          </Text>
          {reason !== null && (
            <Text size="sm">{t('reason', { reason: recordedText('reason_code', reason, 'audit') })}</Text>
          )}
        </div>
        <Button
          className={classes.screenOnly!}
          size="compact-xs"
          variant="subtle"
          aria-expanded={isOpen}
          leftSection={isOpen ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('details')}
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap={4} pl={{ base: 0, sm: 158 }}>
            {entry.changes.length > 0 && <FieldChanges changes={entry.changes} texts="audit" />}
            <References of={entry} />
            <Group gap="xs">
              <Button size="compact-xs" variant="default" onClick={onType}>
                {t('onlyThisType', { type: eventName(entry.type) ?? entry.type })}
              </Button>
            </Group>
          </Stack>
        )}
      </Collapse>
    </li>
  );
}

type Texts = ReturnType<typeof useTranslation<'audit'>>['t'];

/** The fields that were changed, or why they are not shown. */
function summaryOf(t: Texts, { is_hidden: isHidden, changes }: Entry): string {
  if (isHidden) return t('hidden');
  if (changes.length === 0) return '';
  const names = changes.slice(0, MAX_NAMED_FIELDS).map(({ field }) => fieldName(field, 'audit') ?? t('customField'));
  const more = changes.length - names.length;
  return more > 0 ? t('fieldsAndMore', { fields: listText(names), count: more }) : `${listText(names)}.`;
}

function References({ of: { resource, request_id: request, supersedes, type } }: { readonly of: Entry }) {
  const { t } = useTranslation('audit');
  const mayRead = useMay('requests:read');
  return (
    <Text size="xs" c="dimmed">
      {isResource(resource.type) ? t(`resources.${resource.type}`) : resource.type} <Code>{resource.id}</Code>
      {supersedes !== null && (
        <>
          , {t('insteadOf')} <Code>{supersedes}</Code>
        </>
      )}
      {request !== null && (
        <>
          , {t('request')}{' '}
          {mayRead ? (
            <ScreenLink to="/requests" search={{ id: request }} size="xs" underline="always">
              {request}
            </ScreenLink>
          ) : (
            <Code>{request}</Code>
          )}
        </>
      )}
      , <Code>{type}</Code>
    </Text>
  );
}

function queryOf(state: AuditState) {
  const by = ACTOR_TYPES.find((type) => type === state.by);
  return {
    ...instantsFrom(state),
    ...(state.person === undefined ? {} : { person_id: state.person }),
    ...(state.actor === undefined ? {} : { actor_id: state.actor }),
    ...(state.type === undefined ? {} : { type: state.type }),
    ...(by === undefined ? {} : { actor_type: by }),
    ...(isResource(state.resource) ? { resource_type: state.resource } : {}),
  };
}
