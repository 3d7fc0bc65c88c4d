import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** The time in which a change can be undone, in milliseconds. */
const UNDO_MILLISECONDS = 10_000;

interface UndoNotice {
  /** What was done. */
  readonly message: string;
  /** The verb on the button. */
  readonly action: string;
  readonly onUndo: () => void;
}

/** Says what was done, with a button that undoes it. */
export function showUndo({ message, action, onUndo }: UndoNotice): void {
  const id = crypto.randomUUID();
  notifications.show({
    id,
    color: 'teal',
    autoClose: UNDO_MILLISECONDS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          {action}
        </Button>
      </Group>
    ),
  });
}
