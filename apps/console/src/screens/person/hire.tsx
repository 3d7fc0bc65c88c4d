import { Button, Card, Group, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import type { FormEvent } from 'react';
import { client, type Schemas } from '../../data/client.js';
import { today } from '../../data/days.js';
import { useDraft } from '../../data/use-draft.js';
import { useWrite } from '../../data/use-write.js';
import { Page } from '../../ui/page.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure } from '../../ui/states.js';
import { changedTerms, NO_TERMS, type Terms } from './dated-terms.js';
import { TermsFields } from './terms-form.js';
import { issueOf } from '../../data/issue-of.js';

const NAMES = {
  first_name: 'First name',
  preferred_name: 'Preferred name',
  last_name: 'Last name',
  staff_id: 'Staff id',
} as const;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The content of the form. */
interface Draft {
  readonly email: string;
  readonly names: Partial<Record<keyof typeof NAMES, string>>;
  /** `YYYY-MM-DD`; empty for an unknown day. */
  readonly day: string;
  readonly terms: Terms;
}

/** The form for a new person. */
export function Hire() {
  const navigate = useNavigate();
  const draft = useDraft<Draft>('hire', { email: '', names: {}, day: today(), terms: NO_TERMS });
  const { email, names, day, terms } = draft.content;
  const hire = useWrite(
    (body: Schemas['CreatePersonRequest'], header) => answerOf(client.POST('/people', { params: { header }, body })),
    {
      onSuccess: ({ data }) => {
        draft.discard();
        notifications.show({ message: `${data.display_name} is hired.`, color: 'teal' });
        void navigate({ to: `/people/${data.id}` as never });
      },
    },
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const named = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== ''));
    hire.mutate({
      work_email: email,
      ...named,
      ...(day === '' ? {} : { start_date: day }),
      ...changedTerms(NO_TERMS, terms),
    });
  };
  return (
    <Page title="Hire a person">
      <form onSubmit={send}>
        <Stack maw={720}>
          {draft.isRestored && <RestoredDraft onDiscard={draft.discard} />}
          {hire.isError && <Failure error={hire.error} />}
          <Card withBorder>
            <Title order={2} size="h5" mb="xs">
              Who
            </Title>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <TextInput
                label="Work e-mail"
                type="email"
                required
                value={email}
                error={issueOf(hire.error, 'work_email')}
                onChange={({ target }) => draft.change({ email: target.value })}
              />
              {(Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => (
                <TextInput
                  key={name}
                  label={NAMES[name]}
                  value={names[name] ?? ''}
                  error={issueOf(hire.error, name)}
                  onChange={({ target }) => draft.change({ names: { ...names, [name]: target.value } })}
                />
              ))}
              <TextInput
                label="First day"
                type="date"
                value={day}
                error={issueOf(hire.error, 'start_date')}
                onChange={({ target }) => draft.change({ day: target.value })}
              />
            </SimpleGrid>
          </Card>
          <Card withBorder>
            <Title order={2} size="h5" mb="xs">
              Terms
            </Title>
            <TermsFields
              value={terms}
              names={NO_NAMES}
              onChange={(changed) => draft.change({ terms: changed })}
              error={hire.error}
            />
          </Card>
          <Group>
            <Button type="submit" loading={hire.isPending} disabled={email === ''}>
              Hire
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
