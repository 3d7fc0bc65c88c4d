import { readConfiguration } from '#configuration/configuration.js';
import { ownCommand } from '../command.js';
import { flag } from '../options.js';
import type { SeededDemo } from '../sample-data/seed-demo.js';
import { serve, type ServeSettings, type Started } from '../serve/serve.js';

export const commands = {
  /** Everything in one process. */
  start: ownCommand({
    options: { no_demo: flag('make no demo data in a new installation, as with NODE_ENV=production') },
    // Commander gives the opposite of an option that begins with `no`.
    run: ({ no_demo: demo }, json) => run({ api: true, worker: true, demo, database: 'own' }, json),
  }),
  api: ownCommand({ run: (_, json) => run({ api: true, worker: false, demo: false, database: 'shared' }, json) }),
  worker: ownCommand({ run: (_, json) => run({ api: false, worker: true, demo: false, database: 'shared' }, json) }),
};

async function run(settings: Omit<ServeSettings, 'configuration'>, json: boolean): Promise<number> {
  const configuration = readConfiguration(process.env);
  const present = (started: Started): boolean =>
    process.stdout.write(json ? `${JSON.stringify(documentOf(started))}\n` : `${describe(started)}\n`);
  try {
    // Sample people and a printed key are for evaluation, not for installations with real people.
    const demo = settings.demo && configuration.nodeEnvironment !== 'production';
    return await serve({ ...settings, demo, configuration }, present);
  } finally {
    // Connections that clients keep open would keep the process running. Everything else has stopped or timed
    // out by now.
    setImmediate(() => process.exit());
  }
}

function documentOf({ api, sandbox, operations, demo }: Started): object {
  return {
    api: api === null ? null : `${api}/api/v1`,
    sandbox: sandbox === null ? null : `${sandbox}/api/v1`,
    docs: api === null ? null : `${api}/docs`,
    operations,
    demo:
      demo === null
        ? null
        : {
            organisation_id: demo.organisationId,
            api_key: demo.apiKey,
            test_key: demo.testKey,
            sign_in_link: signInLinkOf(api, demo),
            first_person: {
              person_id: demo.firstPerson.id,
              name: demo.firstPerson.name,
              timeline: timelineUrl(api, demo),
            },
          },
  };
}

function describe({ api, sandbox, operations, demo }: Started): string {
  const lines = ['', 'Workforce HR is running.', ''];
  if (api !== null) lines.push(`  API         ${api}/api/v1`, `  Docs        ${api}/docs`);
  if (sandbox !== null) lines.push(`  Sandbox     ${sandbox}/api/v1`);
  lines.push(`  Operations  ${operations}/health/ready`, '');
  if (demo !== null && api !== null) {
    lines.push(
      'A demo organisation was created: 120 made-up people, and five years of history that was imported with the ' +
        'times at which it',
      'would have been recorded. This is its API key, which is shown only once:',
      '',
      `  ${demo.apiKey}`,
      '',
      'Try it:',
      '',
      `  curl -H 'Authorization: Bearer ${demo.apiKey}' '${api}/api/v1/people?limit=5'`,
      '',
      `A person to look at first: ${demo.firstPerson.name}. Her job on ${demo.firstPerson.comparison.asOf}, as known then and as known now:`,
      '',
      `  curl -H 'Authorization: Bearer ${demo.apiKey}' '${timelineUrl(api, demo)}'`,
      '',
    );
    lines.push('To sign in as its administrator, once and within 15 minutes:', '', `  ${signInLinkOf(api, demo)}`, '');
    if (sandbox !== null)
      lines.push('A test key, for the synthetic people of its sandbox:', '', `  ${demo.testKey}`, '');
  }
  return [...lines, 'Press Ctrl-C to stop everything.'].join('\n');
}

function signInLinkOf(api: string | null, { signInToken }: SeededDemo): string {
  return `${api ?? ''}/console/sign-in#${signInToken}`;
}

/** The URL of the demo's example: the timeline of a person as known at two times. */
function timelineUrl(api: string | null, { firstPerson }: SeededDemo): string {
  const { asOf, knownAt, comparedKnownAt } = firstPerson.comparison;
  return `${api ?? ''}/api/v1/people/${firstPerson.id}/timeline?as_of=${asOf}&known_at=${knownAt}&compare_known_at=${comparedKnownAt}`;
}
