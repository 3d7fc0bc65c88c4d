import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

const SOURCE = 'apps/console/src';
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = [...'åƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ'];
/** How much longer texts become: German and French ones are up to this much longer than English ones. */
const GROWTH = 0.4;

/** A text without a plain Latin letter outside of its placeholders and tags, and 40 % longer. */
export function pseudo(text: string): string {
  const accented = text.replace(/(\{\{.*?\}\}|<\/?\w+>)|[A-Za-z]/g, (found, kept?: string) =>
    kept === undefined ? ACCENTED[PLAIN.indexOf(found)]! : kept,
  );
  const length = text.replace(/\{\{.*?\}\}|<\/?\w+>/g, '').length;
  const filler = (text.includes(' ') ? 'öñé ţŵö ' : 'öñéţŵö').repeat(Math.ceil(length / 5));
  return accented + (text.includes(' ') ? ' ' : '') + filler.slice(0, Math.ceil(length * GROWTH));
}

function pseudoCatalogue(catalogue: object): object {
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, value]) => [
      key,
      typeof value === 'string' ? pseudo(value) : pseudoCatalogue(value as object),
    ]),
  );
}

/** Answers requests for English catalogues, whose files are named after their folders, with pseudo texts. */
export async function usePseudoLocale(context: BrowserContext): Promise<void> {
  const folders = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => basename(path) === 'messages',
  );
  for (const folder of folders) {
    const name = basename(dirname(join(SOURCE, folder)));
    const catalogue = JSON.parse(readFileSync(join(SOURCE, folder, 'en.json'), 'utf8')) as object;
    const body = `export default ${JSON.stringify(pseudoCatalogue(catalogue))};`;
    await context.route(`**/assets/texts-${name}-en-*.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript; charset=utf-8', body }),
    );
  }
}
