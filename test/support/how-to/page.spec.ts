import { edited, stepsOf } from './page.js';

const PAGE = `# How

All paths are below \`libs/a/\` where no folder is named.

\`one.ts\`

\`\`\`ts
const one = 1;
\`\`\`

Something that exists:

\`\`\`ts
const no = 0;
\`\`\`

| File | Add |
|---|---|
| \`libs/list.ts\`, \`LIST\` | \`two,\` after \`one,\` and \`import { two } from './two.js';\` |

\`\`\`sh
npm test
\`\`\`

\`\`\`console
$ curl \\
    $API
{}
$ date
now
then
\`\`\`
`;
const LIST = `import { one } from './one.js';

export const LIST = [
  one,
  three,
];
`;
const EDIT = { path: 'libs/list.ts', list: 'LIST', lines: ['two,'], after: null };

it('a page is read in its order: files, edits, commands, requests with their answers', () => {
  expect(stepsOf(PAGE)).toEqual([
    { kind: 'file', path: 'libs/a/one.ts', text: 'const one = 1;\n' },
    { kind: 'edit', edit: { ...EDIT, lines: ['two,', "import { two } from './two.js';"], after: 'one,' } },
    { kind: 'command', line: 'npm test' },
    { kind: 'exchange', command: 'curl \\\n    $API', output: '{}' },
    { kind: 'exchange', command: 'date', output: 'now\nthen' },
  ]);
});

it('a row that names no list, or nothing to add, is refused', () => {
  expect(() => stepsOf('| File | Add |\n|---|---|\n| `libs/list.ts` | `two,` |')).toThrow('names no file, no constant or nothing to add');
});

it('lines are added at the end of a list or after another one, imports below the imports', () => {
  expect(edited(LIST, EDIT)).toBe(LIST.replace('  three,\n', '  three,\n  two,\n'));
  const lines = ['two,', "import { two } from './two.js';"];
  expect(edited(LIST, { ...EDIT, lines, after: 'one,' })).toBe(
    LIST.replace('  one,\n', '  one,\n  two,\n').replace("one.js';\n", "one.js';\nimport { two } from './two.js';\n"),
  );
});

it('a file without the list or the line that an edit names is refused', () => {
  expect(() => edited(LIST, { ...EDIT, list: 'OTHER' })).toThrow('libs/list.ts has no list OTHER');
  expect(() => edited(LIST, { ...EDIT, after: 'four,' })).toThrow('LIST in libs/list.ts has no line four,');
});
