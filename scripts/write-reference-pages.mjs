/**
 * `node scripts/write-reference-pages.mjs`, after a build: writes the pages of docs/reference/generated that
 * come from the program.
 */
import { writeFile } from 'node:fs/promises';
import 'reflect-metadata';
import { errorsPage } from '../dist/apps/api/errors-text.js';
import { apiRoutes } from '../dist/apps/api/listener.js';
import { routesPage } from '../dist/apps/api/routes-text.js';
import { commandLine } from '../dist/apps/cli/command-line.js';
import { commandsPage } from '../dist/apps/cli/command-table.js';
import { configurationReference } from '../dist/libs/configuration/reference.js';
import { mcpReference } from '../dist/libs/mcp/reference.js';
import { RESOURCE_MODULES } from '../dist/libs/composition/modules.js';

const pages = {
  commands: commandsPage(await commandLine()),
  configuration: configurationReference(),
  errors: errorsPage(),
  mcp: mcpReference(apiRoutes(RESOURCE_MODULES)),
  routes: routesPage(),
};
for (const [name, text] of Object.entries(pages))
  await writeFile(new URL(`../docs/reference/generated/${name}.md`, import.meta.url), text);
