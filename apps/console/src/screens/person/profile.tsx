import { SimpleGrid, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { issueOf } from '../../data/issue-of.js';
import { request } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CountrySelect } from '../../ui/country-select.js';
import { CardForm } from './card.js';

type Profile = Schemas['PersonalProfileResponse'];

/** The texts of a profile, by the keys of their labels. */
export const PROFILE_TEXTS = {
  middle_names: 'middleNames',
  date_of_birth: 'birth',
  personal_email: 'email',
  personal_phone_number: 'phone',
  work_phone_number: 'workPhone',
} as const satisfies Partial<Record<keyof Profile, string>>;
type TextName = keyof typeof PROFILE_TEXTS;

const ADDRESS = ['address_line_1', 'address_line_2', 'address_line_3', 'postal_code', 'city', 'region_state'] as const;
type Address = Readonly<Record<(typeof ADDRESS)[number] | 'country_code', string>>;

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
  readonly profile: Profile;
  readonly onClose: () => void;
}

/** The form of a personal profile. It sends the fields that differ from those with which it opened. */
export function EditProfile({ personId, profile, onClose }: EditProfileProperties) {
  const { t } = useTranslation('person');
  const [was] = useState(() => ({ texts: textsOf(profile), address: addressOf(profile) }));
  const [texts, setTexts] = useState(was.texts);
  const [address, setAddress] = useState(was.address);
  const names = Object.keys(PROFILE_TEXTS) as readonly TextName[];
  const changed: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(
      names.filter((name) => texts[name] !== was.texts[name]).map((name) => [name, texts[name] || null]),
    ),
    ...(JSON.stringify(address) === JSON.stringify(was.address) ? {} : { home_address: sentAddress(address) }),
  };
  const write = useWrite(
    (body: object, headers) => request('PATCH', `/console/people/${personId}/personal`, body, headers),
    {
      onSuccess: () => {
        notifications.show({ message: t('edit.done'), color: 'teal' });
        onClose();
      },
    },
  );
  const line = (name: (typeof ADDRESS)[number]) => (
    <TextInput
      key={name}
      label={t(`personal.lines.${name}`)}
      value={address[name]}
      error={issueOf(write.error, `home_address.${name}`)}
      onChange={({ target }) => setAddress({ ...address, [name]: target.value })}
    />
  );
  return (
    <CardForm
      title={t('personal.title')}
      isReady={Object.keys(changed).length > 0}
      isPending={write.isPending}
      error={write.error}
      onSubmit={() => write.mutate(changed)}
      onCancel={onClose}
    >
      {names.map((name) => (
        <TextInput
          key={name}
          type={name === 'date_of_birth' ? 'date' : 'text'}
          label={t(`personal.${PROFILE_TEXTS[name]}`)}
          value={texts[name]}
          error={issueOf(write.error, name)}
          onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
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
            onChange={(code) => setAddress({ ...address, country_code: code ?? '' })}
          />
        </SimpleGrid>
      </fieldset>
    </CardForm>
  );
}

function textsOf(profile: Profile): Readonly<Record<TextName, string>> {
  return Object.fromEntries(
    (Object.keys(PROFILE_TEXTS) as readonly TextName[]).map((name) => [name, profile[name] ?? '']),
  ) as Record<TextName, string>;
}

function addressOf({ home_address: home }: Profile): Address {
  if (home === null) return NO_ADDRESS;
  const lines = Object.fromEntries(ADDRESS.map((name) => [name, home[name] ?? '']));
  return { ...NO_ADDRESS, ...lines, country_code: home.country.country_code };
}

/** An address is sent whole, and cleared where every line is empty. */
function sentAddress(address: Address): object | null {
  if (Object.values(address).every((line) => line.trim() === '')) return null;
  return Object.fromEntries(
    Object.entries(address).map(([name, line]) => [name, line === '' && NULLABLE.has(name) ? null : line]),
  );
}
