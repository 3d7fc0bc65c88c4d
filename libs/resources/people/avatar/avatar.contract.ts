import { DateTimeField, EnumField, IdField, IntegerField, TextField } from '#http/fields.js';
import { MAXIMUM_PICTURE_BYTES, MAXIMUM_PICTURE_SIDE, PICTURE_TYPES } from './avatar.rules.js';

const LONGEST_URL = 4_096;

/** The metadata of a person's picture, and a link to it (contract part 2, "Person avatar metadata"). */
export class AvatarResponse {
  @IdField('person', { description: 'Id of the person.' })
  readonly person_id!: string;
  @TextField({
    format: 'uri',
    maximumLength: LONGEST_URL,
    description: 'Shows the picture without a key until expires_at. Every response has a new link; treat it as a secret.',
    example: 'https://hr.example.com/api/v1/avatars/q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k',
  })
  readonly download_url!: string;
  @DateTimeField({ description: 'When download_url stops working.' })
  readonly expires_at!: string;
  @EnumField(PICTURE_TYPES)
  readonly content_type!: string;
  @IntegerField({ minimum: 1, maximum: MAXIMUM_PICTURE_BYTES, example: 48_213 })
  readonly byte_size!: number;
  @IntegerField({ minimum: 1, maximum: MAXIMUM_PICTURE_SIDE, nullable: true, example: 512 })
  readonly width_px!: number | null;
  @IntegerField({ minimum: 1, maximum: MAXIMUM_PICTURE_SIDE, nullable: true, example: 512 })
  readonly height_px!: number | null;
  @DateTimeField({ description: 'When this picture was set.' })
  readonly updated_at!: string;
}
