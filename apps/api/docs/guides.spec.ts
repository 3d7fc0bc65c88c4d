import 'reflect-metadata';
import { join } from 'node:path';
import { openApiText } from '../openapi-text.js';
import { GUIDES_PATH, guidesOf } from './guides.js';

const files = guidesOf(join(__dirname, '../../..'));
const pages = new Map(
  files
    .filter(({ mediaType }) => mediaType.startsWith('text/html'))
    .map(({ path, content }) => [path, String(content())]),
);
const found = (text: string, expression: RegExp): readonly string[] =>
  [...text.matchAll(expression)].map(([, value]) => value!);

describe('the guides', () => {
  it('are all in the index, each once', () => {
    const listed = found(pages.get(GUIDES_PATH)!, /<li><a href="([^"]+)"/g);
    expect([...listed].sort()).toEqual([...pages.keys()].filter((path) => path !== GUIDES_PATH).sort());
    expect(listed.slice(0, 2)).toEqual([`${GUIDES_PATH}/README`, `${GUIDES_PATH}/CHANGELOG`]);
  });

  it('link only to what is served, and to headings that exist', () => {
    const served = new Set([...files.map(({ path }) => path), '/docs', '/api/v1/openapi.json']);
    const broken: (readonly [string, string])[] = [];
    for (const [path, html] of pages) {
      for (const link of [...found(html, /<a href="([^"]*)"/g), ...found(html, /<img src="([^"]*)"/g)]) {
        if (/^https?:/.test(link)) continue;
        const [to, fragment] = link.split('#', 2) as [string, string | undefined];
        const target = to === '' ? path : to;
        const exists =
          served.has(target) && (fragment === undefined || pages.get(target)?.includes(`id="${fragment}"`) === true);
        if (!exists) broken.push([path, link]);
      }
    }
    expect(broken).toEqual([]);
  });

  it('have one first heading, a title, and no script', () => {
    for (const [path, html] of pages) {
      expect([path, found(html, /<(h1)[ >]/g).length, /<script/.test(html)]).toEqual([path, 1, false]);
      expect(found(html, /<title>(.+) · Workforce HR<\/title>/g)).toHaveLength(1);
    }
  });

  it('lose the links to files that no listener serves, and keep their text', () => {
    const contributing = pages.get(`${GUIDES_PATH}/CONTRIBUTING`)!;
    expect(contributing).not.toMatch(/href="[^"]*\.ts"/);
  });

  it('have every page that the OpenAPI document links to', () => {
    const linked = found(openApiText(), /\((\/docs\/[^)]+)\)/g);
    expect(linked.length).toBeGreaterThan(10);
    expect(linked.filter((path) => !pages.has(path))).toEqual([]);
  });
});
