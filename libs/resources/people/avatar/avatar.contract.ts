import { DateTimeField, EnumField, IdField, IntegerField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { LARGEST_PAGE_SIZE } from '#kernel/page-size.js';
import { MAXIMUM_PICTURE_BYTES, MAXIMUM_PICTURE_SIDE, PICTURE_TYPES } from './avatar.rules.js';

const LONGEST_URL = 4_096;
/** As many people as the largest page has. */
const MOST_PEOPLE = LARGEST_PAGE_SIZE;
const LONGEST_ID = 64;

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

export class AvatarsQuery extends PageQuery {
  @TextField({
    minimumLength: 1,
    maximumLength: MOST_PEOPLE * (LONGEST_ID + 1),
    optional: true,
    description: `Only of these people: at most ${MOST_PEOPLE} ids, with commas between them. Those without a picture are left out.`,
    pattern: {
      source: `^[A-Za-z0-9_-]{1,${LONGEST_ID}}(?:,[A-Za-z0-9_-]{1,${LONGEST_ID}}){0,${MOST_PEOPLE - 1}}$`,
      words: `must be at most ${MOST_PEOPLE} ids of people with commas between them`,
    },
    example: '7k2m9qx4hz1c,x1v8d4xej91w',
  })
  readonly person_ids?: string;
}
