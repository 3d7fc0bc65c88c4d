import { Text } from '@mantine/core';
import { Trans, useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { useMay } from '../../data/session.js';
import type { Names } from '../../data/use-names.js';
import { ScreenLink } from '../../ui/screen-link.js';
import type english from './messages/en.json';
import { ActorText } from './actor-text.js';

type Entry = Schemas['ActivityResponse'];
type Sentence = keyof typeof english.sentences;

/** Fields that name their resource, the clearest first. */
const NAMES = ['name', 'label', 'email', 'key'] as const;

interface SentenceProperties {
  readonly of: Entry;
  readonly names: Names;
}

/** The ids of the resources that a sentence names: of a provider mapping what it maps, of others themselves. */
export function idsToName({ resource, changes }: Entry): readonly (string | null)[] {
  const mapped = changes.find(({ field }) => field === 'resource_id');
  return [mapped?.after ?? mapped?.before ?? null, resource.id];
}

/** An event as a sentence: who did what to what. */
export function EventSentence({ of: entry, names }: SentenceProperties) {
  const { i18n } = useTranslation('audit');
  const key = `sentences.${entry.type as Sentence}` as const;
  // A newer version of the service may record events that this page does not know.
  const isKnown = i18n.exists(key, { ns: 'audit' });
  return (
    <Trans
      ns="audit"
      i18nKey={isKnown ? key : 'anyEvent'}
      values={{ type: entry.type }}
      components={{ actor: <ActorText of={entry.actor} />, subject: <Subject of={entry} names={names} /> }}
    />
  );
}

function Subject({ of: entry, names }: SentenceProperties) {
  const { person, resource, changes } = entry;
  const mayRead = useMay('people:read');
  if (person !== null) {
    const name = person.display_name ?? person.id;
    return mayRead ? (
      <ScreenLink to={`/people/${person.id}`} title={person.id} inherit underline="always">
        {name}
      </ScreenLink>
    ) : (
      <span title={person.id}>{name}</span>
    );
  }
  const named = NAMES.map((field) => changes.find((change) => change.field === field)).find((change) => change);
  const known = idsToName(entry).flatMap((id) => (id === null ? [] : (names.of(id) ?? [])))[0];
  return (
    <Text span inherit fw={500} title={resource.id}>
      {named?.after ?? named?.before ?? known ?? resource.id}
    </Text>
  );
}
