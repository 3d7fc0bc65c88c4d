import { Alert, Box, NativeSelect, NavLink, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentType, lazy, type LazyExoticComponent, Suspense } from 'react';
import { useSession } from '../../data/session.js';
import { NoPage } from '../../ui/no-page.js';
import { Page } from '../../ui/page.js';
import { loadScreen } from '../../ui/screen-not-loaded.js';
import { Loading, NotPermitted, Reading } from '../../ui/states.js';
import { factsQuery } from './facts.js';
import { type Part, type PartName, PARTS, partsFor } from './parts.js';
import classes from './settings.module.css';
import { useTexts } from './texts.js';

const CONTENTS: ReadonlyMap<PartName, LazyExoticComponent<ComponentType>> = new Map(
  PARTS.map(({ name, load }) => [name, lazy(async () => ({ default: await loadScreen(load) }))]),
);

/** The settings of the organisation: their parts, and the one of the address. */
export function Settings() {
  const t = useTexts();
  const session = useSession();
  const { part: named } = useParams({ strict: false }) as { readonly part?: string };
  const facts = useQuery(factsQuery);
  const own = partsFor(session);
  if (named === undefined) return <Navigate to={`/settings/${own[0]!.name}` as never} replace />;
  if (PARTS.every(({ name }) => name !== named)) return <NoPage />;
  const part = own.find(({ name }) => name === named);
  const Content = part === undefined ? undefined : CONTENTS.get(part.name);
  if (part === undefined || Content === undefined) return <NotPermitted what={t('parts.these')} />;
  return (
    <Page title={t(`parts.${part.name}`)} note={t('title')}>
      <div className={classes.frame}>
        <Parts own={own} shown={part.name} />
        <div>
          <Reading of={t('parts.these')} query={facts} />
          {facts.isSuccess && (
            <>
              <WritesNotice plan={facts.data.plan} isApproved={facts.data.writes_approved} />
              <Suspense fallback={<Loading of={t('parts.these')} />}>
                <Content key={part.name} />
              </Suspense>
            </>
          )}
        </div>
      </div>
    </Page>
  );
}

function Parts({ own, shown }: { readonly own: readonly Part[]; readonly shown: string }) {
  const t = useTexts();
  const navigate = useNavigate();
  const groups = [...new Set(own.map(({ group }) => group))];
  return (
    <>
      <NativeSelect
        hiddenFrom="md"
        label={t('title')}
        value={shown}
        data={groups.map((group) => ({
          group: t(`groups.${group}`),
          items: own
            .filter((one) => one.group === group)
            .map(({ name }) => ({ value: name, label: t(`parts.${name}`) })),
        }))}
        onChange={({ target }) => void navigate({ to: `/settings/${target.value}` as never })}
      />
      <Box component="nav" aria-label={t('title')} className={classes.parts!} visibleFrom="md">
        {groups.map((group) => (
          <div key={group}>
            <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
              {t(`groups.${group}`)}
            </Text>
            {own
              .filter((one) => one.group === group)
              .map(({ name }) => (
                <NavLink
                  key={name}
                  label={t(`parts.${name}`)}
                  active={name === shown}
                  aria-current={name === shown ? 'page' : undefined}
                  renderRoot={(root) => <Link to={`/settings/${name}` as never} {...root} />}
                />
              ))}
          </div>
        ))}
      </Box>
    </>
  );
}

/** Says why the organisation may not write: its plan, or the operator's approval. */
function WritesNotice({ plan, isApproved }: { readonly plan: string; readonly isApproved: boolean }) {
  const t = useTexts();
  if (plan !== 'starter' && isApproved) return null;
  return (
    <Alert variant="default" mb="md" title={t('notice.title')}>
      {plan === 'starter' ? t('notice.plan') : t('notice.approval')}
    </Alert>
  );
}
