import { type Command, Option } from 'commander';
import { PLANS } from '#kernel/tenancy.js';
import { action } from '../command.js';

/** `workforce organisations …`: the tenants of this installation. */
export function register(program: Command): void {
  const group = program.command('organisations').description('create and set up organisations');
  registerCreate(group);
  action(group.command('list').description('list all organisations'), async () => (await work()).listOrganisations());
  registerSet(group);
  action(
    group
      .command('approve-writes')
      .argument('<organisation>', 'id or subdomain')
      .description('let API keys of the organisation write, as far as their scopes and its plan allow'),
    async (call) => (await work()).approveWrites(call),
  );
  action(
    group
      .command('revoke-writes')
      .argument('<organisation>', 'id or subdomain')
      .description('revoke the approval of writes'),
    async (call) => (await work()).revokeWrites(call),
  );
}

function registerCreate(group: Command): void {
  const command = group
    .command('create')
    .description('create an organisation')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--subdomain <label>', 'its unique DNS label; never changes')
    .requiredOption('--country <code>', 'ISO 3166-1 alpha-2, such as GB')
    .addOption(
      new Option('--plan <plan>', 'plan, which limits what its API keys may do').choices(PLANS).makeOptionMandatory(),
    )
    .requiredOption('--time-zone <zone>', 'IANA name, such as Europe/London; determines the current day')
    .option('--approve-writes', 'let its API keys write');
  action(command, async (call) => (await work()).createOrganisation(call));
}

function registerSet(group: Command): void {
  const command = group
    .command('update')
    .alias('set')
    .argument('<organisation>', 'id or subdomain')
    .description('change the settings of an organisation')
    .option('--name <name>', 'its name')
    .option('--country <code>', 'ISO 3166-1 alpha-2, such as GB')
    .addOption(new Option('--plan <plan>', 'plan, which limits what its API keys may do').choices(PLANS))
    .option('--time-zone <zone>', 'IANA name, such as Europe/London; determines the current day')
    .option('--logo-url <url>', 'https address of its logo; empty for none')
    .option('--primary-color-light <colour>', '#rrggbb on a light background; empty for none')
    .option('--primary-color-dark <colour>', '#rrggbb on a dark background; empty for none')
    .option(
      '--holiday-region <code>',
      'ISO 3166-1 or 3166-2, such as GB-ENG: region whose public holidays apply; empty for the country',
    );
  action(command, async (call) => (await work()).setOrganisation(call));
}

function work(): Promise<typeof import('../work/organisations.js')> {
  return import('../work/organisations.js');
}
