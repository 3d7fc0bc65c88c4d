import { posix, relative } from 'node:path';
import { FILES, FIRST_DECISION, pageOf, ROOT } from './pages.mjs';

/** Links of the README lead to the first page of the site, which takes its place there. */
const PAGES = new Map([
  ...FILES.map((file) => [file, `/${pageOf(file)}`]),
  ['README.md', '/index'],
  ['docs/adr/', FIRST_DECISION],
]);

/**
 * A plugin of markdown-it: relative links, which work in the repository, lead to pages of the site and to the
 * files below docs/examples. A link to any other file of the project becomes its text, because no listener
 * serves it. Throws for a page that does not exist.
 */
export function siteLinks(markdown, base) {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const file = relative(ROOT, env.realPath ?? env.path).replaceAll('\\', '/');
    for (const { children } of tokens.filter(({ type }) => type === 'inline')) {
      let isDropped = false;
      for (const token of children) {
        if (token.type === 'link_open') isDropped = !lead(token, file, base);
        const isEnd = token.type === 'link_close';
        if (isDropped && (token.type === 'link_open' || isEnd)) Object.assign(token, { type: 'text', content: '' });
        if (isEnd) isDropped = false;
      }
    }
  });
}

/** Changes the target of a link; returns false where the site has no such page or file. */
function lead(link, file, base) {
  const href = link.attrGet('href');
  if (/^(?:[a-z]+:|[#/])/.test(href)) return true;
  const [path, fragment] = href.split('#', 2);
  const target = posix.join(posix.dirname(file), path);
  const page = PAGES.get(target);
  if (page !== undefined) {
    link.attrSet('href', fragment === undefined ? `${page}.md` : `${page}.md#${fragment}`);
  } else if (target.startsWith('docs/examples/')) {
    link.attrSet('href', base + target.slice('docs/'.length));
    link.attrSet('target', '_self');
  } else if (target.endsWith('.md')) {
    throw new Error(`${file} links to ${path}, which is not a page`);
  } else {
    return false;
  }
  return true;
}
