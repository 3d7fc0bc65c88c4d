import { crc32, deflateSync } from 'node:zlib';

const SIDE = 192;
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Of PNG: eight bits a pixel, each a place in the palette. */
const [BIT_DEPTH, PALETTE_COLOURS] = [8, 3];

type Colour = readonly [red: number, green: number, blue: number];

const GROUNDS: readonly Colour[] = [
  [0x1f, 0x4e, 0x79],
  [0x2e, 0x7d, 0x32],
  [0x6a, 0x1b, 0x9a],
  [0xad, 0x14, 0x57],
  [0x00, 0x69, 0x5c],
  [0xb7, 0x5d, 0x00],
];
const FIGURE: Colour = [0xf2, 0xf4, 0xf7];

/**
 * A made-up portrait as a PNG: head and shoulders on a colour that the number chooses. The same number, the
 * same bytes.
 */
export function portrait(number: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.writeUInt8(BIT_DEPTH, 8);
  header.writeUInt8(PALETTE_COLOURS, 9);
  const palette = Buffer.from([...GROUNDS[number % GROUNDS.length]!, ...FIGURE]);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(pixels())),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Lines of pixels, each after the number of its filter, which is none. */
function pixels(): Buffer {
  const lines = Buffer.alloc((SIDE + 1) * SIDE);
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      if (isFigure(x / SIDE, y / SIDE)) lines[y * (SIDE + 1) + 1 + x] = 1;
    }
  }
  return lines;
}

/** Whether a point belongs to the head or the shoulders; both coordinates run from 0 to 1. */
function isFigure(x: number, y: number): boolean {
  return Math.hypot(x - 0.5, y - 0.38) < 0.19 || Math.hypot((x - 0.5) / 1.15, y - 1.02) < 0.36;
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
