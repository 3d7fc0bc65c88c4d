/**
 * The way of a request, from the calls that `recorder.mjs` counted.
 *
 * A **turn-back** is a call from a library into one that is higher in {@link LAYERS} and was entered before,
 * counted once for each pair of a calling file and a called file. Not counted: returns; a callback that is
 * written inside a function that is still in progress (`transaction(pool, () => …)` stays in the function
 * that reads so); the first way into a library, as from the pipeline to a controller.
 */
const LAYERS = [
  ['apps'],
  ['libs/composition'],
  [
    'libs/people',
    'libs/time-off',
    'libs/organisation',
    'libs/access',
    'libs/payroll',
    'libs/imports',
    'libs/audit',
    'libs/mcp',
    'libs/csv-import',
  ],
  ['libs/http', 'libs/webhooks'],
  ['libs/commands'],
  ['libs/projections'],
  ['libs/event-store', 'libs/jobs'],
  ['libs/database', 'libs/embedded-postgres'],
  ['libs/configuration', 'libs/identifiers', 'libs/tracing'],
  ['libs/kernel'],
];

/** Excluded: a pool opens a connection on demand, so that recordings differ. */
const OPENS_CONNECTIONS = 'libs/database/pool.ts';

/**
 * The common part of all recordings of a way, in the order of the first: `{ files: [{ file, functions }],
 * turnBacks: [{ from, to }] }`, and `entered`, every file that any of them entered. Files, and the functions
 * within one, are in the order of first entry.
 */
export function commonWay(functions, recordings) {
  const ways = recordings.map((calls) => wayOf(functions, calls));
  const [first, ...others] = ways;
  const shared = (ofWay) => (key) => others.every((way) => ofWay(way).has(key));
  const isCommonFunction = shared(({ functions: names }) => names);
  const isCommonTurn = shared(({ turnBacks }) => turnBacks);
  const files = new Map();
  for (const [key, { file, name }] of first.functions) {
    if (isCommonFunction(key)) files.set(file, [...(files.get(file) ?? []), name]);
  }
  return {
    files: [...files].map(([file, names]) => ({ file, functions: names })),
    turnBacks: [...first.turnBacks].filter(([key]) => isCommonTurn(key)).map(([, turn]) => turn),
    entered: new Set(ways.flatMap((way) => [...way.functions.values()].map(({ file }) => file))),
  };
}

/** `functions` and `turnBacks` of one recording, each a map in the order of first entry. */
function wayOf(functions, calls) {
  const names = new Map();
  const turnBacks = new Map();
  const entered = new Set();
  for (const [id, caller, isWithin] of calls) {
    const { file, name } = functions[id];
    if (file === OPENS_CONNECTIONS) continue;
    const from = caller === null ? null : functions[caller];
    if (from !== null && !isWithin && layerOf(file) < layerOf(from.file) && entered.has(libraryOf(file))) {
      const key = `${from.file} ${file}`;
      if (!turnBacks.has(key))
        turnBacks.set(key, { from: `\`${from.name}\` in \`${from.file}\``, to: `\`${name}\` in \`${file}\`` });
    }
    entered.add(libraryOf(file));
    names.set(`${file} ${name}`, { file, name });
  }
  return { functions: names, turnBacks };
}

function libraryOf(file) {
  return file.startsWith('apps/') ? 'apps' : file.split('/').slice(0, 2).join('/');
}

function layerOf(file) {
  const layer = LAYERS.findIndex((libraries) => libraries.includes(libraryOf(file)));
  if (layer < 0) throw new Error(`${libraryOf(file)} is in no layer of scripts/tracing/way.mjs`);
  return layer;
}
