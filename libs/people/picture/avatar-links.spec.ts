import fc from 'fast-check';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import { type AvatarLinkSettings, AvatarLinks } from './avatar-links.js';

const SETTINGS: AvatarLinkSettings = {
  ring: fixedRing(Buffer.alloc(32, 1)),
  environment: 'live',
  lifetimeSeconds: 300,
  publicUrl: null,
};
const LINKS = new AvatarLinks(SETTINGS);
const PLACE = {
  organisationId: 'org_aaaaaaaa.bbbbbbbb.cccccccccccc',
  personId: '7k2m9qx4hz1c',
  pictureId: 'a-picture',
};
const NOW = new Date('2026-03-01T12:00:00.000Z');
const ADDRESS = 'http://127.0.0.1:3000';

const after = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);
const tokenOf = async (links = LINKS): Promise<string> =>
  (await links.make(PLACE, NOW, ADDRESS)).url.split('/').at(-1)!;

describe('a link to a picture', () => {
  it('has the address of the request, or the public address that the operator set', async () => {
    const { url, expiresAt } = await LINKS.make(PLACE, NOW, ADDRESS);
    expect(url).toBe(`${ADDRESS}/api/v1/avatars/${await tokenOf()}`);
    expect(expiresAt).toEqual(after(300_000));
    for (const publicUrl of ['https://example.com/hr', 'https://example.com/hr/']) {
      expect((await new AvatarLinks({ ...SETTINGS, publicUrl }).make(PLACE, NOW, ADDRESS)).url).toBe(
        `https://example.com/hr/api/v1/avatars/${await tokenOf()}`,
      );
    }
  });

  it('works before its end and not at it', async () => {
    expect(await LINKS.open(await tokenOf(), NOW)).toEqual(PLACE);
    expect(await LINKS.open(await tokenOf(), after(299_999))).toEqual(PLACE);
    expect(await LINKS.open(await tokenOf(), after(300_000))).toBeNull();
  });

  it('is invalid after a character was changed, removed or added', async () => {
    const token = await tokenOf();
    for (let place = 0; place <= token.length; place += 1) {
      for (const edited of [
        token.slice(0, place) + token.slice(place + 1),
        `${token.slice(0, place)}A${token.slice(place)}`,
        `${token.slice(0, place)}A${token.slice(place + 1)}`,
      ]) {
        if (edited !== token) expect(await LINKS.open(edited, NOW)).toBeNull();
      }
    }
  });

  it('does not work in the other environment, nor in another installation', async () => {
    expect(await new AvatarLinks({ ...SETTINGS, environment: 'sandbox' }).open(await tokenOf(), NOW)).toBeNull();
    expect(
      await new AvatarLinks({ ...SETTINGS, ring: fixedRing(Buffer.alloc(32, 2)) }).open(await tokenOf(), NOW),
    ).toBeNull();
  });

  it('is no other text, and no text makes the check throw', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.base64String({ maxLength: 1_000 }),
          fc.string({ minLength: 600, maxLength: 700 }),
        ),
        async (text) => {
          expect(await LINKS.open(text, NOW)).toBeNull();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('names the version of its key where that is not the first', async () => {
    const secret = Buffer.alloc(32, 3);
    const ring = {
      current: async () => ({ version: 12, secret }),
      find: async (version: number) => (version === 12 ? secret : null),
    };
    const later = new AvatarLinks({ ...SETTINGS, ring });
    const token = await tokenOf(later);
    expect(token).toMatch(/^12\.[\w-]+$/);
    expect(await later.open(token, NOW)).toEqual(PLACE);
    expect(await later.open(await tokenOf(), NOW)).toBeNull();
    expect(await LINKS.open(token, NOW)).toBeNull();
  });
});
