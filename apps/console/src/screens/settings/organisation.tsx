import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { readFromConsole, sessionQuery } from '../../data/session.js';
import { Reading } from '../../ui/states.js';
import { baseOf, type Base, type SettingsRow, useFields, writeSetting } from './facts.js';
import { isComplete } from './fields.js';
import { FormBody, useResourceForm } from './resource-form.js';
import { choiceText, useTexts } from './texts.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';

interface Profile extends SettingsRow {
  readonly subdomain: string;
  readonly plan: string;
  readonly writes_approved: boolean;
}

const read = () => readFromConsole<Profile>('/console/product-settings/organisation');

/** The profile of the organisation, and what its operator has set. */
export function Organisation() {
  const t = useTexts();
  const profile = useQuery({ queryKey: ['settings', 'organisation'], queryFn: read });
  return (
    <Stack maw={560}>
      <Text size="sm" c="dimmed">
        {t('organisation.purpose')}
      </Text>
      <Reading of={t('organisation.profile')} query={profile} />
      {profile.data !== undefined && (
        <>
          <ProfileForm key={profile.data.entity_tag} base={baseOf(profile.data)} />
          <Table aria-label={t('organisation.byOperator')} variant="vertical" withTableBorder>
            <Table.Tbody>
              <Table.Tr>
                <Table.Th scope="row">{t('organisation.subdomain')}</Table.Th>
                <Table.Td>{profile.data.subdomain}</Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th scope="row">{t('fields.organisation.plan')}</Table.Th>
                <Table.Td>
                  <Badge variant="default">{choiceText(t, 'plan', profile.data.plan)}</Badge>
                </Table.Td>
              </Table.Tr>
              <Table.Tr>
                <Table.Th scope="row">{t('organisation.writes')}</Table.Th>
                <Table.Td>
                  {t(profile.data.writes_approved ? 'organisation.approved' : 'organisation.notApproved')}
                </Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
          <Text size="xs" c="dimmed">
            {t('organisation.byOperator')}
          </Text>
        </>
      )}
    </Stack>
  );
}

function ProfileForm({ base }: { readonly base: Base }) {
  const t = useTexts();
  const undo = useUndo();
  const queryClient = useQueryClient();
  // The operator sets the plan.
  const fields = useFields('organisation', ['plan']);
  const refresh = () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const state = useResourceForm({
    form: 'organisation',
    id: '',
    fields,
    base,
    reread: async () => baseOf(await read()),
    write: (values, headers) => writeSetting<Profile>('PATCH', 'organisation', values, headers),
    onSuccess: () => {
      // The name in the frame, and the time zone of all days.
      void refresh();
      const former = Object.fromEntries(fields.map(({ name }) => [name, base.values[name]]));
      undo(t('organisation.saved'), async () => {
        await writeSetting('PATCH', 'organisation', former, onceOnly());
        await refresh();
      });
    },
  });
  return (
    <FormBody
      {...{ fields, state }}
      form="organisation"
      buttons={
        <Group>
          <Button
            type="submit"
            loading={state.isPending}
            disabled={!state.isChanged || !isComplete(fields, state.values)}
          >
            {t('form.save')}
          </Button>
        </Group>
      }
    />
  );
}
