import { Avatar } from '@mantine/core';
import classes from './person-picture.module.css';

interface PersonPictureProperties {
  readonly name: string;
  /** A link to their picture; without one, their initials are shown in a colour of their own. */
  readonly src?: string | null | undefined;
  readonly size?: number;
}

/** The picture of a person. Decoration: the name is next to it. */
export function PersonPicture({ name, src, size = 28 }: PersonPictureProperties) {
  return (
    <Avatar
      aria-hidden
      name={name}
      color="initials"
      src={src ?? null}
      imageProps={{ loading: 'lazy' }}
      size={size}
      radius="xl"
      classNames={{ placeholder: classes.initials! }}
    />
  );
}
