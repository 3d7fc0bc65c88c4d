import { SimpleGrid, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { issueOf } from '../../data/issue-of.js';
import { request } from '../../data/session.js';
import { useDraft } from '../../data/use-draft.js';
import { readTagged, type Tagged, useBased, useFormBase, useTaggedWrite } from '../../data/use-tagged-write.js';
import { CountrySelect } from '../../ui/country-select.js';
import type { Difference } from '../../ui/lost-race.js';
import { Reading } from '../../ui/states.js';
import { CardForm, useEndOfEdit } from './card.js';

/** The profile as its route of the console takes it: an address has the code of its country. */
interface Profile extends Pick<Schemas['PersonalProfileResponse'], TextName> {
  readonly home_address: Readonly<Record<keyof Address, string | null>> | null;
}

/** The texts of a profile, by the keys of their labels. */
export const PROFILE_TEXTS = {
  middle_names: 'middleNames',
  date_of_birth: 'birth',
  personal_email: 'email',
  personal_phone_number: 'phone',
  work_phone_number: 'workPhone',
} as const satisfies Partial<Record<keyof Schemas['PersonalProfileResponse'], string>>;
type TextName = keyof typeof PROFILE_TEXTS;

const ADDRESS = ['address_line_1', 'address_line_2', 'address_line_3', 'postal_code', 'city', 'region_state'] as const;
const ADDRESS_FIELDS = [...ADDRESS, 'country_code'] as const;
type Address = Readonly<Record<(typeof ADDRESS_FIELDS)[number], string>>;

const NO_ADDRESS: Address = {
  address_line_1: '',
  address_line_2: '',
  address_line_3: '',
  postal_code: '',
  city: '',
  region_state: '',
  country_code: '',
};
/** The lines of an address that may be missing are null, those that a country may lack are empty. */
const NULLABLE: ReadonlySet<string> = new Set(['address_line_2', 'address_line_3']);

interface EditProfileProperties {
  readonly personId: string;
  readonly onClose: () => void;
}

const NAMES = Object.keys(PROFILE_TEXTS) as readonly TextName[];

/** The form of a personal profile, filled from what the service holds when it opens. */
export function EditProfile({ personId, onClose }: EditProfileProperties) {
  const { t } = useTranslation('person');
  const path = `/console/people/${personId}/personal`;
  const read = () => readTagged<Profile>(path);
  const base = useFormBase(['people', personId, 'personal'], read);
  if (base.data === undefined) return <Reading of={t('personal.reading')} query={base} />;
  return <ProfileForm {...{ personId, path, read, onClose }} answer={base.data} />;
}

/** What the user has typed. */
interface ProfileDraft {
  readonly texts: Partial<Record<TextName, string>>;
  readonly address: Partial<Address>;
}

interface ProfileFormProperties {
  readonly personId: string;
  readonly path: string;
  readonly answer: Tagged<Profile>;
  readonly read: () => Promise<Tagged<Profile>>;
  readonly onClose: () => void;
}

/** It sends the fields that differ from its base. */
function ProfileForm({ personId, path, answer, read, onClose }: ProfileFormProperties) {
  const { t } = useTranslation('person');
  const based = useBased(answer, read);
  const was = { texts: textsOf(based.answer.data), address: addressOf(based.answer.data) };
  const draft = useDraft<ProfileDraft>(`profile.${personId}`, { texts: {}, address: {} });
  const typed = draft.content;
  const [texts, address] = [
    { ...was.texts, ...typed.texts },
    { ...was.address, ...typed.address },
  ];
  const changed: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(
      NAMES.filter((name) => texts[name] !== was.texts[name]).map((name) => [name, texts[name] || null]),
    ),
    ...(JSON.stringify(address) === JSON.stringify(was.address) ? {} : { home_address: sentAddress(address) }),
  };
  const write = useTaggedWrite(
    based,
    (body: object, headers) => request('PATCH', path, body, { ...headers }),
    useEndOfEdit(draft, onClose),
  );
  const line = (name: (typeof ADDRESS)[number]) => (
    <TextInput
      key={name}
      label={t(`personal.lines.${name}`)}
      value={address[name]}
      error={issueOf(write.error, `home_address.${name}`)}
      onChange={({ target }) => draft.change({ address: { ...typed.address, [name]: target.value } })}
    />
  );
  return (
    <CardForm
      title={t('personal.title')}
      isReady={Object.keys(changed).length > 0}
      isPending={write.isPending}
      error={write.error}
      draft={draft}
      lost={based.overtaken === null ? null : differencesOf(t, based.overtaken, based.answer.data)}
      onSubmit={() => write.send(changed)}
      onCancel={onClose}
    >
      {NAMES.map((name) => (
        <TextInput
          key={name}
          type={name === 'date_of_birth' ? 'date' : 'text'}
          label={t(`personal.${PROFILE_TEXTS[name]}`)}
          value={texts[name]}
          error={issueOf(write.error, name)}
          onChange={({ target }) => draft.change({ texts: { ...typed.texts, [name]: target.value } })}
        />
      ))}
      <fieldset style={{ border: 'none', padding: 0, margin: 0 }}>
        <legend>{t('personal.address')}</legend>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {ADDRESS.map(line)}
          <CountrySelect
            label={t('personal.lines.country_code')}
            clearable
            value={address.country_code === '' ? null : address.country_code}
            error={issueOf(write.error, 'home_address.country_code')}
            onChange={(code) => draft.change({ address: { ...typed.address, country_code: code ?? '' } })}
          />
        </SimpleGrid>
      </fieldset>
    </CardForm>
  );
}

/** What another user has changed. */
function differencesOf(t: TFunction<'person'>, before: Profile, after: Profile): readonly Difference[] {
  const rowsOf = (profile: Profile): readonly (readonly [string, string])[] => [
    ...NAMES.map((name) => [t(`personal.${PROFILE_TEXTS[name]}`), textsOf(profile)[name]] as const),
    ...ADDRESS_FIELDS.map((name) => [t(`personal.lines.${name}`), addressOf(profile)[name]] as const),
  ];
  const later = rowsOf(after);
  return rowsOf(before)
    .map(([what, value], index) => ({ what, before: value || '–', after: later[index]![1] || '–' }))
    .filter((row) => row.before !== row.after);
}

function textsOf(profile: Profile): Readonly<Record<TextName, string>> {
  return Object.fromEntries(NAMES.map((name) => [name, profile[name] ?? ''])) as Record<TextName, string>;
}

function addressOf({ home_address: home }: Profile): Address {
  if (home === null) return NO_ADDRESS;
  return { ...NO_ADDRESS, ...Object.fromEntries(ADDRESS_FIELDS.map((name) => [name, home[name] ?? ''])) };
}

/** An address is sent whole, and cleared where every line is empty. */
function sentAddress(address: Address): object | null {
  if (Object.values(address).every((line) => line.trim() === '')) return null;
  return Object.fromEntries(
    Object.entries(address).map(([name, line]) => [name, line === '' && NULLABLE.has(name) ? null : line]),
  );
}
