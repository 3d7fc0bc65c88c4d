import { Tour } from '../tours/tour.js';

/** Blocks of the pages that nobody types in a test, by their first line, and why. */
const LEFT_OUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/how-to/run-it.md': {
    'npm ci && npm start': 'The tour itself starts the service.',
    'export DATABASE_URL=postgres://workforce:…@db.example/workforce':
      'It names a server that only the reader has, and starts processes that go on.',
  },
  'docs/how-to/watch-it.md': {
    'export OTEL_EXPORTER_OTLP_ENDPOINT=https://collector.example:4318':
      'It names a collector that only the reader has, and starts a process that goes on.',
  },
};

describe('what the pages for operators tell a reader to type', () => {
  it.each(['rotate-secrets', 'back-up-and-restore', 'run-it', 'watch-it'])(
    'of docs/how-to/%s.md prints what the page shows',
    async (name) => {
      const page = `docs/how-to/${name}.md`;
      const leftOut = LEFT_OUT[page] ?? {};
      const met = new Set<string>();
      // Each page has a service of its own, because what one changes, such as the master key, would surprise the next. npm on some machines
      // warns about the machine's own settings.
      const tour = await Tour.begin({ npm_config_loglevel: 'error' });
      try {
        const differences = await tour.follow(page, ({ text }) => {
          const firstLine = text.split('\n')[0]!;
          met.add(firstLine);
          return firstLine in leftOut;
        });
        expect(differences).toEqual([]);
      } finally {
        await tour.end();
      }
      expect(Object.keys(leftOut).filter((firstLine) => !met.has(firstLine))).toEqual([]);
    },
  );
});
