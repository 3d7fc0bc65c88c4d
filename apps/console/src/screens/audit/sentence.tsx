import { Text } from '@mantine/core';
import { Trans, useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { useMay } from '../../data/session.js';
import { ScreenLink } from '../../ui/screen-link.js';
import type english from './messages/en.json';
import { ActorText } from './actor-text.js';

type Entry = Schemas['ActivityResponse'];
type Sentence = keyof typeof english.sentences;

/** Fields that name their resource, the clearest first. */
const NAMES = ['name', 'label', 'email', 'key'] as const;

/** An event as a sentence: who did what to what. */
export function EventSentence({ of: entry }: { readonly of: Entry }) {
  const { i18n } = useTranslation('audit');
  const key = `sentences.${entry.type as Sentence}` as const;
  // A newer version of the service may record events that this page does not know.
  const isKnown = i18n.exists(key, { ns: 'audit' });
  return (
    <Trans
      ns="audit"
      i18nKey={isKnown ? key : 'anyEvent'}
      values={{ type: entry.type }}
      components={{ actor: <ActorText of={entry.actor} />, subject: <Subject of={entry} /> }}
    />
  );
}

function Subject({ of: { person, resource, changes } }: { readonly of: Entry }) {
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
  return (
    <Text span inherit fw={500} title={resource.id}>
      {named?.after ?? named?.before ?? resource.id}
    </Text>
  );
}
