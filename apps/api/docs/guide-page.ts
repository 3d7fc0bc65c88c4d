/** Pages of one part of the documentation. */
export interface Section {
  readonly title: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

/** Returns the page of a guide. It needs no script, and its only style is `GUIDE_STYLE`. */
export function guidePage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)} · Workforce HR</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/guides.css">
  </head>
  <body>
    <header>
      <nav aria-label="Documentation"><a href="/docs/guides">Guides</a> <a href="/docs">API reference</a></nav>
    </header>
    <main>
${content}
    </main>
  </body>
</html>
`;
}

/** Returns a text as HTML, for elements and attributes in double quotes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * Colours with a contrast of at least 7 to 1 for text (WCAG 2.2, 1.4.6), light or dark as the browser is set.
 */
export const GUIDE_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --back: #ffffff; --quiet: #eef1f4; --line: #c3cad1; --link: #0a4a8f; }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaee; --back: #14181d; --quiet: #222930; --line: #46505a; --link: #8fc1ff; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.6 system-ui, sans-serif; }
header { border-bottom: 1px solid var(--line); }
header nav, main { max-width: 56rem; margin: 0 auto; padding: 0.75rem 1rem; }
header a { display: inline-block; margin-right: 1.5rem; padding: 0.25rem 0; }
main { padding-bottom: 4rem; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2rem 0 0.75rem; }
h1 { margin-top: 1rem; }
a { color: var(--link); }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; background: var(--quiet); border-radius: 4px; }
code { padding: 0.1em 0.3em; }
pre { padding: 0.75rem 1rem; overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; font-size: 1em; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; overflow-wrap: normal; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; min-width: 6rem; }
th { background: var(--quiet); }
img { max-width: 100%; }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 4px solid var(--line); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`;
