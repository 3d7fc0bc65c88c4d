import { Alert, Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { Form } from './form.js';

/** The sides of a picture, in pixels. */
const SIDE = 512;
const QUALITY = 0.85;

interface EditPictureProperties {
  readonly personId: string;
  readonly name: string;
  /** The current picture; null without one. */
  readonly src: string | null;
  readonly onClose: () => void;
}

/** Chooses a picture, of which the middle is sent as a square; the original stays in the browser. */
export function EditPicture({ personId, name, src, onClose }: EditPictureProperties) {
  const { t } = useTranslation('person');
  const [chosen, setChosen] = useState<Blob | null>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const preview = useAddressOf(chosen);
  const write = useWrite(
    async ({ picture }: { readonly picture: Blob }, headers) =>
      request('PUT', `/console/people/${personId}/picture`, { content: await base64Of(picture) }, headers),
    {
      onSuccess: () => {
        notifications.show({ message: t('picture.done'), color: 'teal' });
        onClose();
      },
    },
  );
  const removal = useWrite(
    (_: 'remove', headers) => request('POST', `/console/people/${personId}/picture/remove`, {}, headers),
    {
      onSuccess: () => {
        notifications.show({ message: t('picture.removed'), color: 'teal' });
        onClose();
      },
    },
  );
  const choose = async (file: File | undefined): Promise<void> => {
    const picture = file === undefined ? null : await squareOf(file);
    setChosen(picture);
    setUnreadable(file !== undefined && picture === null);
  };
  if (isRemoving)
    return (
      <Confirmation
        title={t('picture.removeTitle')}
        action={t('picture.remove')}
        write={{ isPending: removal.isPending, error: removal.error, mutate: () => removal.mutate('remove') }}
        onClose={onClose}
      >
        {t('picture.removeHint', { name })}
      </Confirmation>
    );
  return (
    <Form
      title={t('picture.title', { name })}
      explanation={t('picture.explanation')}
      submit={t('edit.submit')}
      isReady={chosen !== null}
      isPending={write.isPending}
      error={write.error}
      onSubmit={() => chosen !== null && write.mutate({ picture: chosen })}
      onCancel={onClose}
    >
      <Group wrap="nowrap">
        <PersonPicture name={name} src={preview ?? src} size={96} />
        <TextInput
          type="file"
          accept="image/jpeg,image/png,image/webp"
          label={t('picture.file')}
          flex={1}
          miw={0}
          onChange={({ target }) => void choose(target.files?.[0])}
        />
      </Group>
      {src !== null && (
        <Button variant="default" size="compact-sm" w="fit-content" onClick={() => setRemoving(true)}>
          {t('picture.remove')}
        </Button>
      )}
      {isUnreadable && (
        <Alert role="alert" color="red">
          {t('picture.unreadable')}
        </Alert>
      )}
    </Form>
  );
}

/** An address of the blob in this page. */
function useAddressOf(blob: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (blob === null) return setAddress(null);
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address;
}

/** The middle of a picture as a JPEG of {@link SIDE} pixels; null if the browser cannot read it. */
async function squareOf(file: File): Promise<Blob | null> {
  const image = await createImageBitmap(file).catch(() => null);
  if (image === null) return null;
  const side = Math.min(image.width, image.height);
  const canvas = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
  const place = [(image.width - side) / 2, (image.height - side) / 2, side, side] as const;
  canvas.getContext('2d')!.drawImage(image, ...place, 0, 0, SIDE, SIDE);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
