import { Anchor, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { issueOf } from '../../data/issue-of.js';
import { currentLanguage } from '../../data/locale.js';
import { seesByRelation, sendToConsole, useMay, useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { DoneButton } from '../../ui/done-button.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { PersonSelect } from '../../ui/person-select.js';
import { Failure } from '../../ui/states.js';
import { UnitSelect } from '../../ui/unit-select.js';

/** Whose time off a link shows: that of the user themself, of their team, of a person or of an org unit. */
export type Subject = 'own' | 'team' | 'person' | 'org_unit';

/** The subjects that the user may choose: an employee sees no other person, and some users are no person. */
export function useSubjects(): readonly Subject[] {
  const session = useSession();
  const { role, person_id: personId } = session;
  const mayUnits = useMay('org_units:read') && !seesByRelation(session);
  const seesOthers = role !== 'employee' && (role !== 'manager' || personId !== null);
  return [
    ...(personId === null ? [] : (['own'] as const)),
    ...(role === 'manager' && personId !== null ? (['team'] as const) : []),
    ...(seesOthers ? (['person'] as const) : []),
    ...(mayUnits ? (['org_unit'] as const) : []),
  ];
}

interface MakeCalendarLinkProperties {
  readonly first: Subject;
  readonly onClose: () => void;
}

/** A form for a new link; afterwards it shows the address once. */
export function MakeCalendarLink({ first, onClose }: MakeCalendarLinkProperties) {
  const { t } = useTranslation('calendar-links');
  const { person_id: ownId } = useSession();
  const subjects = useSubjects();
  const [subject, setSubject] = useState(first);
  const [personId, setPersonId] = useState<string | null>(null);
  const [unitId, setUnitId] = useState<string | null>(null);
  const write = useWrite((body: object, headers) =>
    sendToConsole<{ readonly url: string }>('POST', '/console/calendars', body, headers),
  );
  const ids = {
    own: { person_id: ownId },
    team: { team: true },
    person: { person_id: personId },
    org_unit: { org_unit_id: unitId },
  }[subject];
  return (
    <Dialog onClose={onClose} title={t(write.isSuccess ? 'made' : 'make')} closeOnClickOutside={false}>
      {write.isSuccess ? (
        <Address url={write.data.url} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            write.mutate({ ...ids, language: currentLanguage() });
          }}
        >
          <Stack>
            {subjects.length === 1 ? (
              <Text size="sm">{t(`shown.${subject}`)}</Text>
            ) : (
              <Radio.Group label={t('whose')} value={subject} onChange={(value) => setSubject(value as Subject)}>
                <Stack gap="xs" mt={4}>
                  {subjects.map((one) => (
                    <Radio key={one} value={one} label={t(one)} description={t(`shown.${one}`)} />
                  ))}
                </Stack>
              </Radio.Group>
            )}
            {subject === 'person' && (
              <PersonSelect
                label={t('personField')}
                placeholder={t('search')}
                value={personId}
                valueName={null}
                onChange={setPersonId}
                error={issueOf(write.error, 'person_id')}
              />
            )}
            {subject === 'org_unit' && (
              <UnitSelect
                label={t('unitField')}
                placeholder={t('search')}
                isWithArchived={false}
                value={unitId}
                onChange={setUnitId}
                error={issueOf(write.error, 'org_unit_id')}
              />
            )}
            {write.isError && <Failure error={write.error} />}
            <FormButtons
              action={t('makeIt')}
              isPending={write.isPending}
              isDisabled={Object.values<string | boolean | null>(ids).includes(null)}
              onClose={onClose}
            />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

function Address({ url, onClose }: { readonly url: string; readonly onClose: () => void }) {
  const { t } = useTranslation('calendar-links');
  return (
    <Stack>
      <CopiedOnce what={t('address')} text={url} hint={t('addressHint')} />
      <Anchor size="sm" href={url.replace(/^https?:/, 'webcal:')}>
        {t('open')}
      </Anchor>
      <DoneButton onClose={onClose} />
    </Stack>
  );
}
