import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandLine } from './command-line.js';
import { commandsPage, leavesOf } from './command-table.js';

/** The verbs of commands, one for each action. A new verb needs a meaning that none of these has. */
const VERBS = new Set(['create', 'update', 'archive', 'reactivate', 'delete', 'list', 'show', 'import', 'export']);
const OF_THEIR_OWN = new Set([
  ...['start', 'api', 'worker', 'migrate', 'doctor', 'backup', 'restore', 'timeline', 'deliveries', 'completion'],
  ...[
    'organisations approve-writes',
    'organisations revoke-writes',
    'keys revoke',
    'sandbox refresh',
    'locations deactivate',
  ],
  ...['users invite', 'users set-role', 'users deactivate', 'users erase', 'users sign-out'],
  ...['users link', 'users unlink'],
  ...[
    'people set-personal',
    'people set-avatar',
    'people erase',
    'people erasures',
    'people withdraw-fact',
    'custom-fields set',
  ],
  ...['public-holidays add', 'public-holidays remove', 'public-holidays restore'],
  ...['people mark-payroll', 'people payroll-markers', 'import payroll-markers'],
  ...['time-off approve', 'time-off reject', 'time-off cancel'],
  ...['public-holidays add', 'public-holidays remove', 'public-holidays restore'],
  ...['proposals approve', 'proposals reject', 'mcp allow', 'mcp withdraw'],
  ...['webhooks rotate-secret', 'webhooks test', 'webhooks notices', 'webhooks deliveries', 'webhooks delivery'],
  ...['webhooks redeliver', 'webhooks resend', 'webhooks listen'],
  ...['import people', 'import employment-history', 'import time-off', 'import locations'],
  ...['projections status', 'projections rebuild', 'audit verify', 'audit anchor', 'audit report'],
  ...['secrets rotate', 'secrets reseal', 'secrets retire', 'secrets wrap'],
]);

describe('the commands', () => {
  let program: Command;
  let leaves: ReturnType<typeof leavesOf>;
  beforeAll(async () => {
    program = await commandLine();
    leaves = leavesOf(program);
  });

  it('use one verb for one thing', () => {
    const others = leaves.filter(({ name, verb }) => !VERBS.has(verb) && !OF_THEIR_OWN.has(name));
    expect(others.map(({ name }) => name)).toEqual([]);
    expect([...OF_THEIR_OWN].filter((known) => leaves.every(({ name }) => name !== known))).toEqual([]);
  });

  it('have help and --json, and are in the reference; if not: npm run build && node scripts/write-reference-pages.mjs', () => {
    const page = readFileSync(new URL('../../docs/reference/generated/commands.md', import.meta.url), 'utf8');
    expect(page).toBe(commandsPage(program));
    for (const { name, command } of leaves) {
      expect([name, command.helpInformation()]).toEqual([name, expect.stringContaining('--json')]);
      expect([name, command.description()]).toEqual([name, expect.stringMatching(/^[a-z].{8,}[^.]$/)]);
    }
  });
});
