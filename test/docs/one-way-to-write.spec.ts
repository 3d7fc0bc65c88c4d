import ts from 'typescript';
import { type Piece, placeOf, ProductSources } from '../support/source-walk.js';

const sources = ProductSources.read();

/** Below these, rows and events are written on behalf of a unit of work, or of what follows the log. */
const BELOW = /^libs\/(commands\/(?!named-resource)|(event-store|projections|database)\/)/;
const isAbove = (path: string): boolean => !BELOW.test(path);

/** The call's function as written: `commit`, `services.store.append`. */
const calleeOf = (node: ts.Node): string =>
  ts.isCallExpression(node) ? node.expression.getText().replaceAll(/\s/g, '') : '';
const isCallOf =
  (pattern: RegExp) =>
  (node: ts.Node): boolean =>
    pattern.test(calleeOf(node));

const appends = isCallOf(/(^|\.)append$/);
const imports = isCallOf(/[sS]tore\.importEvents$/);
const projects = isCallOf(/(^|\.)(project|projectEvents|projectStreams)$/);
const commits = isCallOf(/^commit$/);
/** What a unit of work does with rows, in its transaction. */
const staysInUnit = isCallOf(/(^|\.)unit\.(write|claim)$/);

const WRITING_SQL = /\b(insert into|delete from|update \S+( (as )?\w+)?\s+set)\b/i;
const writesRows = (node: ts.Node): boolean =>
  (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && WRITING_SQL.test(node.getText());

const places = (pieces: readonly Piece[]): readonly string[] => [...new Set(pieces.map(placeOf))].toSorted();

/** Classes of `@CommandHandler`, by their `execute`. */
const HANDLERS = sources.find(
  (node) =>
    ts.isMethodDeclaration(node) &&
    node.name.getText() === 'execute' &&
    (ts.getDecorators(node.parent as ts.ClassDeclaration) ?? []).some((decorator) =>
      decorator.getText().startsWith('@CommandHandler('),
    ),
);

/**
 * The pieces that a walk from here comes to, of those that are wanted. What a unit of work writes in its
 * transaction is not entered.
 */
function reached(from: Piece, isSelected: (node: ts.Node) => boolean): readonly Piece[] {
  const found: Piece[] = [];
  sources.walk(
    from,
    (node, path) => {
      if (isAbove(path) && isSelected(node)) found.push({ path, node });
      return !staysInUnit(node);
    },
    isAbove,
  );
  return found;
}

/** The plans of all units of work, which are third of what `commit` takes. */
const PLANS = sources
  .find((node, path) => isAbove(path) && commits(node))
  .map(({ path, node }): Piece => ({ path, node: (node as ts.CallExpression).arguments[2]! }));

it('command handlers and their commands know no request', () => {
  const knowsRequest = (node: ts.Node): boolean => /\b(Call|Answer|Receive)\b/.test(node.getText());
  expect(places(HANDLERS.filter(({ node }) => knowsRequest(node.parent)))).toEqual([]);
});

it('every command handler commits a unit of work', () => {
  expect(places(HANDLERS.filter((handler) => reached(handler, commits).length === 0))).toEqual([]);
});

it('no unit of work is committed within the plan of another one', () => {
  expect(places(PLANS.filter((plan) => reached(plan, commits).length > 0))).toEqual([]);
});

it('events are appended and imported by nobody above the unit of work', () => {
  const stores = {
    'apps/cli/sample-data/recorded-at.ts recordedAt':
      'an event store itself: it gives the events of the demo times of the past',
    'apps/cli/sample-data/recorded-at.ts recordingMoments': 'the same for the moment of the work in progress',
  };
  expect(places(sources.find((node, path) => isAbove(path) && (appends(node) || imports(node))))).toEqual(
    Object.keys(stores),
  );
});

it('streams are projected by the unit of work, by what follows the log, and by these', () => {
  const others = {
    'apps/worker/webhooks.ts startWebhooks':
      'the fan-out, which may come to the event of an endpoint before the catch-up does',
    'libs/webhooks/endpoint/webhook-reseal.ts countRecordedWebhookSecrets':
      'what a crash left, before a key is retired',
    'libs/people/timeline/effective-date-job.ts bringToPresentDay': 'rows change with the day, without an event',
    'libs/people/timeline/known-at.ts settleKnownAt': 'what a crash left, before it is read as of a moment',
    'libs/people/import/record-people.ts PeopleRecorder.load': 'what a crash left, before a file is compared with it',
  };
  expect(places(sources.find((node, path) => isAbove(path) && projects(node)))).toEqual(Object.keys(others).toSorted());
});

it('commands write rows in the transactions of their units of work, besides these', () => {
  const erasure = 'the list of erasures, and what they destroy, in steps that are repeated after a crash';
  const besides = {
    'libs/csv-import/import-jobs.ts destroyFiles': erasure,
    'libs/access/user/administer-users.ts userKeyOf': 'before the event: the key of the address in it',
    'libs/people/picture/avatar-pictures.ts keepPicture': 'before the event: the bytes that it names',
    'libs/people/timeline/effective-date-job.ts bringToPresentDay': 'rows change with the day, without an event',
    'libs/people/erasure/erase-person.ts destroyKey': erasure,
    'libs/people/erasure/erasure-list.ts completeErasure': erasure,
    'libs/people/erasure/erasure-list.ts noteErasure': erasure,
    'libs/people/erasure/purge.ts purge': erasure,
    'libs/people/erasure/purge.ts purgeReceiptsOfTheirEvents': erasure,
    'libs/people/erasure/purge.ts purgeReceiptsThatNameThem': erasure,
    'libs/people/record/email-addresses.ts newPersonKey': 'before the event: the key of the data in it',
  };
  expect(places([...HANDLERS, ...PLANS].flatMap((piece) => reached(piece, writesRows)))).toEqual(
    Object.keys(besides).toSorted(),
  );
});

/**
 * Where a process begins to do something: the files of apps; of the libs, controllers and services that Nest
 * creates.
 */
const BEGINNINGS = sources.find((node, path) =>
  path.startsWith('apps/')
    ? ts.isSourceFile(node)
    : isAbove(path) &&
      ts.isClassDeclaration(node) &&
      (ts.getDecorators(node) ?? []).some((decorator) => /^@(Controller|Injectable)\(/.test(decorator.getText())),
);

const declaresResource = isCallOf(/^defineResource$/);

/** The pure functions that decide what commands record. */
const DECIDERS: ReadonlySet<string> = new Set(
  sources
    .find(
      (node) =>
        ts.isFunctionDeclaration(node) &&
        /^decide[A-Z]/.test(node.name?.text ?? '') &&
        /^Decision</.test(node.type?.getText() ?? ''),
    )
    .map(({ node }) => (node as ts.FunctionDeclaration).name!.text),
);
const decides = (node: ts.Node): boolean => DECIDERS.has(calleeOf(node));
const makesUnit = (node: ts.Node): boolean => ts.isNewExpression(node) && node.expression.getText() === 'UnitOfWork';

/**
 * Whether a file comes to a unit of work or to a decider by what it names of the libs, so not through the
 * command bus.
 */
function passesTheBusBy(beginning: Piece): boolean {
  let writesItself = false;
  sources.walk(
    beginning,
    (node, path) => {
      writesItself ||= isAbove(path) && (commits(node) || makesUnit(node) || decides(node));
      return !writesItself && !ts.isImportDeclaration(node) && !declaresResource(node);
    },
    (path) => isAbove(path) && !path.startsWith('apps/'),
  );
  return writesItself;
}

it('every aggregate has a decider', () => {
  expect(DECIDERS.size).toBeGreaterThan(25);
  expect(['decideEmployment', 'decideTimeOff', 'decideWebhook'].filter((name) => !DECIDERS.has(name))).toEqual([]);
});

it('deciders are called and units of work committed by command handlers alone', () => {
  expect(places(BEGINNINGS.filter(passesTheBusBy))).toEqual([]);
});
