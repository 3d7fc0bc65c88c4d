import { AppShell, Burger, Button, Group, Menu, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconLogout, IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage, type Language, LANGUAGES } from '../data/locale.js';
import { changePreferences, signOut, useSession } from '../data/session.js';
import { discardDrafts } from '../data/use-draft.js';
import classes from './shell.module.css';
import { Notices } from './notices.js';
import { ColourScheme } from '../ui/colour-scheme.js';
import { Banners } from './banners.js';
import { Finder } from './finder.js';
import { useScreens } from './use-screens.js';

/** The frame of every screen: the title, the navigation, and the user. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('shell');
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { organisation, role } = useSession();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
      classNames={{ main: classes.main! }}
    >
      <a href="#content" className={classes.skip}>
        {t('skip')}
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('navigation')}
              aria-expanded={isOpen}
            />
            <img src="/console/icon.svg" alt="" width={22} height={22} />
            <Text fw={600} truncate visibleFrom="xs">
              {organisation.name}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap" flex="none">
            <Finder />
            {role === 'administrator' && <Notices />}
            <ColourScheme />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        component="nav"
        aria-label={t('screenList')}
        className={classes.navigation}
        mod={{ closed: !isOpen }}
      >
        <ScrollArea p="xs">
          <Navigation onFollow={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Banners />
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ onFollow }: { readonly onFollow: () => void }) {
  const { t } = useTranslation('shell');
  const screens = useScreens();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const groups = [...new Set(screens.map((screen) => screen.group))];
  return groups.map((group) => (
    <Fragment key={group}>
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm" pb={4}>
        {t(`groups.${group}`)}
      </Text>
      {screens
        .filter((screen) => screen.group === group)
        .map(({ path: to, label, icon: Icon }) => {
          const isHere = path === to || path.startsWith(`${to}/`);
          return (
            <NavLink
              key={to}
              label={t(`labels.${label}`)}
              leftSection={<Icon size={18} stroke={1.5} aria-hidden />}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
              onClick={onFollow}
              className={classes.entry!}
              renderRoot={(root) => <Link to={to as never} {...root} />}
            />
          );
        })}
    </Fragment>
  ));
}

function Account() {
  const { t } = useTranslation(['shell', 'common']);
  const { user, role } = useSession();
  const queryClient = useQueryClient();
  const speak = useMutation({
    mutationFn: (language: Language) => changePreferences(queryClient, () => ({ language })),
    // Every text and date follows; drafts stay.
    onSuccess: () => location.reload(),
    onError: ({ message }) => notifications.show({ message, color: 'red' }),
  });
  const end = async (everywhere: boolean): Promise<void> => {
    await signOut(everywhere);
    discardDrafts();
    // A new page has none of the data of this user.
    location.assign('/console/sign-in');
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" className={classes.account!}>
          <span className={classes.email}>{user.email}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('signedInAs', { role: t(`common:roles.${role}`) })}</Menu.Label>
        <Menu.Item
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          renderRoot={(root) => <Link to="/ai-clients" {...root} />}
        >
          {t('labels.aiClients')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void end(false)}>
          {t('signOut')}
        </Menu.Item>
        <Menu.Item onClick={() => void end(true)}>{t('signOutEverywhere')}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup value={currentLanguage()} onChange={(language) => speak.mutate(language as Language)}>
          {(Object.keys(LANGUAGES) as readonly Language[]).map((language) => (
            <Menu.RadioItem key={language} value={language} lang={language}>
              {LANGUAGES[language].name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
