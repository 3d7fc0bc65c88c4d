import { TextInput } from '@mantine/core';
import { type Answer, answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client, type Person, type Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { useMay } from '../../data/session.js';
import { useDraft } from '../../data/use-draft.js';
import { useBased, useTaggedWrite } from '../../data/use-tagged-write.js';
import { CardForm, Section, useEndOfEdit } from './card.js';
import { Definitions } from '../../ui/definitions.js';
import { IDENTITY, type IdentityField, identityOf, personBetween, readPerson } from './identity-changes.js';

interface IdentityProperties {
  readonly personId: string;
  readonly answer: Answer<{ readonly data: Person }>;
}

/** Names, address and staff id, and the days of the employment. */
export function Identity({ personId, answer }: IdentityProperties) {
  const { t } = useTranslation('person');
  const mayWrite = useMay('people:write');
  const { data } = answer;
  return (
    <Section
      title={t('identity.title')}
      edit={
        mayWrite
          ? { name: 'identity', form: (close) => <EditIdentity {...{ personId, answer }} onClose={close} /> }
          : undefined
      }
    >
      <Definitions
        label={t('identity.title')}
        rows={[
          ...IDENTITY.map((name) => [t(`identity.${name}`), data[name]] as const),
          [t('firstDay'), data.start_date === null ? t('notRecorded') : shortDayText(data.start_date)],
          [t('finalDay'), data.end_date === null ? null : shortDayText(data.end_date)],
        ]}
      />
    </Section>
  );
}

/** What the user has typed. */
interface IdentityDraft {
  readonly typed: Partial<Record<IdentityField, string>>;
}

function EditIdentity({ personId, answer, onClose }: IdentityProperties & { readonly onClose: () => void }) {
  const { t } = useTranslation(['person', 'common']);
  const based = useBased(answer, () => readPerson(personId));
  const draft = useDraft<IdentityDraft>(`identity.${personId}`, { typed: {} });
  const { typed } = draft.content;
  const was = identityOf(based.answer.data);
  const shown = { ...was, ...typed };
  const changed = IDENTITY.filter((name) => shown[name] !== was[name]);
  const write = useTaggedWrite(
    based,
    (input: Schemas['UpdatePersonRequest'], header) =>
      answerOf(client.PATCH('/people/{personId}', { params: { path: { personId }, header }, body: input })),
    useEndOfEdit(draft, onClose),
  );
  return (
    <CardForm
      title={t('identity.title')}
      explanation={t('edit.explanation')}
      isReady={changed.length > 0}
      isPending={write.isPending}
      error={write.error}
      draft={draft}
      lost={personBetween(based.overtaken, based.answer.data)}
      onSubmit={() =>
        write.send(Object.fromEntries(changed.map((name) => [name, shown[name] === '' ? null : shown[name]])))
      }
      onCancel={onClose}
    >
      {IDENTITY.map((name) => (
        <TextInput
          key={name}
          label={t(`identity.${name}`)}
          value={shown[name]}
          error={issueOf(write.error, name)}
          description={
            shown[name] === was[name]
              ? undefined
              : t('edit.before', { value: was[name] === '' ? t('common:nothing') : was[name] })
          }
          onChange={({ target }) => draft.change({ typed: { ...typed, [name]: target.value } })}
        />
      ))}
    </CardForm>
  );
}
