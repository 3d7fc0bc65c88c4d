import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';
import { escaped, guidePage, type Section } from './guide-page.js';

/** Where the guides are on the listener. */
export const GUIDES_PATH = '/docs/guides';

/** The folders of docs/, in the order of the index; pages of docs/ itself come first. */
const SECTIONS: readonly (readonly [folder: string, title: string])[] = [
  ['docs', 'Start here'],
  ['docs/tutorials', 'Tutorials'],
  ['docs/how-to', 'How to'],
  ['docs/reference', 'Reference'],
  ['docs/reference/generated', 'Generated reference'],
  ['docs/explanation', 'Explanation'],
  ['docs/adr', 'Decisions'],
];
/** Pages outside docs/, which are part of the first section. */
const TOP_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'SECURITY.md'];
/** Other files that pages show or link to, by their extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.ts': 'text/plain; charset=utf-8',
  '.go': 'text/plain; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
};

/** A file of the guides. */
export interface ServedFile {
  /** The path of the URL, such as `/docs/guides/how-to/audit`. */
  readonly path: string;
  readonly mediaType: string;
  readonly content: () => string | Buffer;
}

/** A Markdown page of the project. */
interface Guide {
  /** Relative to the project, with slashes. */
  readonly file: string;
  readonly path: string;
}

/** A page with its content. */
interface Page extends Guide {
  readonly title: string;
  readonly text: string;
}

/**
 * Returns the index of the guides, every page of the project's documentation as HTML, and the files of the
 * pages. Files are read on first use.
 */
export function guidesOf(root: string): readonly ServedFile[] {
  const below = filesBelow(root, 'docs');
  const guides = [...TOP_PAGES, ...below.filter((file) => file.endsWith('.md'))].map((file): Guide => ({
    file,
    path: pathOf(file),
  }));
  const media = below.filter((file) => extname(file) in MEDIA_TYPES);
  const targets = new Map([
    ...guides.map(({ file, path }): [string, string] => [file, path]),
    ...media.map((file): [string, string] => [file, pathOf(file)]),
  ]);
  const html = 'text/html; charset=utf-8';
  return [
    {
      path: GUIDES_PATH,
      mediaType: html,
      content: () => guidePage('Guides', indexOf(sectionsOf(guides.map((guide) => read(root, guide))))),
    },
    ...guides.map((guide) => ({
      path: guide.path,
      mediaType: html,
      content: () => pageOf(read(root, guide), targets),
    })),
    ...media.map((file) => ({
      path: pathOf(file),
      mediaType: MEDIA_TYPES[extname(file)]!,
      content: () => readFileSync(join(root, file)),
    })),
  ];
}

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, file) : [file];
  });
}

function read(root: string, guide: Guide): Page {
  const text = readFileSync(join(root, guide.file), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? guide.file;
  return { ...guide, title, text };
}

function pageOf(page: Page, targets: ReadonlyMap<string, string>): string {
  return guidePage(page.title, rendered(page, targets));
}

/** A page without its extension, below the common folder. */
function pathOf(file: string): string {
  return `${GUIDES_PATH}/${file.replace(/^docs\//, '').replace(/\.md$/, '')}`;
}

function sectionsOf(guides: readonly Page[]): readonly Section[] {
  return SECTIONS.map(([folder, title]) => ({
    title,
    pages: guides.filter(
      ({ file }) => posix.dirname(file) === folder || (folder === 'docs' && TOP_PAGES.includes(file)),
    ),
  }));
}

function indexOf(sections: readonly Section[]): string {
  const lists = sections.map(({ title, pages }) => {
    const items = pages.map(({ path, title: name }) => `<li><a href="${path}">${escaped(name)}</a></li>`);
    return `<h2>${escaped(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
  });
  return `<h1>Guides</h1>\n${lists.join('\n')}`;
}

/**
 * Returns a page as HTML. A link to another page or a served file leads there; a link to any other file of
 * the project becomes its text. Wide tables and code scroll by keyboard too (WCAG 2.2, 2.1.1).
 */
function rendered({ file, text }: Page, targets: ReadonlyMap<string, string>): string {
  const slugger = new GithubSlugger();
  let tables = 0;
  const target = (href: string): string | null => {
    if (/^(?:[a-z]+:|#)/.test(href)) return href;
    const [relative, fragment] = href.split('#', 2) as [string, string | undefined];
    const path = targets.get(posix.join(posix.dirname(file), relative));
    return path === undefined ? null : fragment === undefined ? path : `${path}#${fragment}`;
  };
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        return `<h${depth} id="${slugger.slug(this.parser.parseInline(tokens, this.parser.textRenderer))}">${content}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const [content, to] = [this.parser.parseInline(tokens), target(href)];
        return to === null ? content : `<a href="${escaped(to)}">${content}</a>`;
      },
      image({ href, text: alternative }) {
        return `<img src="${escaped(target(href) ?? href)}" alt="${escaped(alternative)}">`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: string): string => this.tablerow({ text: cells });
        // A column without a name has no header.
        const head = row(token.header.map((cell) => this.tablecell({ ...cell, header: cell.text !== '' })).join(''));
        const rows = token.rows.map((cells) => row(cells.map((cell) => this.tablecell(cell)).join(''))).join('');
        return `<div class="table" tabindex="0" role="region" aria-label="Table ${(tables += 1)}"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return markdown.parse(text, { async: false });
}
