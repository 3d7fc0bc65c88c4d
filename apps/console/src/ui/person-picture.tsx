import { Avatar } from '@mantine/core';
import classes from './person-picture.module.css';

/** The initials of a person in a colour of their own. Decoration: the name stands beside it. */
export function PersonPicture({ name, src, size = 28 }: { readonly name: string; readonly src?: string | null; readonly size?: number }) {
  return (
    <Avatar
      aria-hidden
      name={name}
      color="initials"
      src={src ?? null}
      size={size}
      radius="xl"
      classNames={{ placeholder: classes.initials! }}
    />
  );
}
