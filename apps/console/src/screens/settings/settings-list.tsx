import { Button, Card, Group, Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../data/address.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { useTexts } from './texts.js';

/** The kinds of rows, by the keys of their texts. */
export type Kind =
  | 'locations'
  | 'work-places'
  | 'work-types'
  | 'document-types'
  | 'custom-fields'
  | 'provider-mappings'
  | 'time-off-categories'
  | 'working-patterns';

/** Whether the list of the address contains archived rows, and how that changes. */
export function useArchived(): readonly [isWithArchived: boolean, change: (isWithArchived: boolean) => void] {
  const [{ all }, change] = useAddress<{ all?: string }>();
  return [all === 'true', (isWithArchived) => change({ all: isWithArchived ? 'true' : undefined })];
}

/** The switch for archived rows. */
export function WithArchived() {
  const t = useTexts();
  const [isWithArchived, change] = useArchived();
  return (
    <Switch label={t('list.withArchived')} checked={isWithArchived} onChange={({ target }) => change(target.checked)} />
  );
}

interface SettingsListProperties {
  readonly kind: Kind;
  /** The name of the table. */
  readonly label: string;
  /** The heads without that of the buttons at the end. */
  readonly heads: readonly string[];
  readonly minWidth: number;
  readonly query: Parameters<typeof Reading>[0]['query'] & { readonly isSuccess: boolean };
  /** Whether there is no row at all, archived ones included. */
  readonly isEmpty: boolean;
  readonly isArchivable?: boolean;
  readonly onAdd: () => void;
  /** Table rows. */
  readonly children: readonly ReactNode[];
}

/** A kind of rows in the settings: its purpose, the button that adds one, and the table; or what it is for. */
export function SettingsList(properties: SettingsListProperties) {
  const { kind, label, heads, minWidth, query, isEmpty, isArchivable = true, onAdd, children } = properties;
  const t = useTexts();
  const add = (
    <Button variant={isEmpty ? 'filled' : 'default'} onClick={onAdd}>
      {t(`kinds.${kind}.add`)}
    </Button>
  );
  return (
    <>
      <Text size="sm" c="dimmed" maw={640}>
        {t(`kinds.${kind}.purpose`)}
      </Text>
      {!isEmpty && (
        <Group>
          {add}
          {isArchivable && <WithArchived />}
        </Group>
      )}
      <Reading of={t(`kinds.${kind}.many`)} query={query} />
      {isEmpty && (
        <Empty title={t(`kinds.${kind}.none`)}>
          <Stack align="center">
            {t(`kinds.${kind}.noneYet`)}
            {add}
          </Stack>
        </Empty>
      )}
      {children.length > 0 && (
        <Card withBorder padding={0}>
          <WideTable label={label} heads={[...heads, t('list.actions')]} minWidth={minWidth}>
            {children}
          </WideTable>
        </Card>
      )}
    </>
  );
}

interface RowButtonProperties {
  readonly children: ReactNode;
  /** What it does to which row, for screen readers. */
  readonly label: string;
  readonly isPending?: boolean;
  readonly onClick: () => void;
}

/** A button at the end of a row. */
export function RowButton({ children, label, isPending = false, onClick }: RowButtonProperties) {
  return (
    <Button size="compact-sm" variant="default" loading={isPending} aria-label={label} onClick={onClick}>
      {children}
    </Button>
  );
}

interface ArchiveForGoodProperties {
  readonly name: string;
  /** Says what becomes of the row, which stays archived. */
  readonly effect: string;
  readonly archive: (header: { readonly 'Idempotency-Key': string }) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before a row is archived that cannot be reactivated. */
export function ArchiveForGood({ name, effect, archive, onClose }: ArchiveForGoodProperties) {
  const t = useTexts();
  const write = useWrite((_: Record<string, never>, header) => archive(header), { onSuccess: onClose });
  return (
    <Confirmation
      title={t('list.archiveQuestion', { name })}
      action={t('list.archive')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate({}) }}
      onClose={onClose}
    >
      {effect}
    </Confirmation>
  );
}
