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
      .description('let API keys of the organisation write, as far as their scopes and its plan go'),
    async (call) => (await work()).approveWrites(call),
  );
  action(
    group.command('revoke-writes').argument('<organisation>', 'id or subdomain').description('take the approval of writes back'),
    async (call) => (await work()).revokeWrites(call),
  );
}

function registerCreate(group: Command): void {
  const command = group
    .command('create')
    .description('create an organisation')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--subdomain <label>', 'its own DNS label; never changes')
    .requiredOption('--country <code>', 'ISO 3166-1 alpha-2, such as GB')
    .addOption(new Option('--plan <plan>', 'what it may do').choices(PLANS).makeOptionMandatory())
    .requiredOption('--time-zone <zone>', 'IANA name, such as Europe/London: decides which day it is')
    .option('--approve-writes', 'let its API keys write');
  action(command, async (call) => (await work()).createOrganisation(call));
}

function registerSet(group: Command): void {
  const command = group
    .command('set')
    .argument('<organisation>', 'id or subdomain')
    .description('change what is known of an organisation')
    .option('--name <name>', 'what it is called')
    .option('--country <code>', 'ISO 3166-1 alpha-2, such as GB')
    .addOption(new Option('--plan <plan>', 'what it may do').choices(PLANS))
    .option('--time-zone <zone>', 'IANA name, such as Europe/London: decides which day it is')
    .option('--logo-url <url>', 'https address of its logo; empty for none')
    .option('--primary-color-light <colour>', '#rrggbb on a light ground; empty for none')
    .option('--primary-color-dark <colour>', '#rrggbb on a dark ground; empty for none')
    .option('--holiday-region <code>', "ISO 3166-1 or 3166-2, such as GB-ENG: whose public holidays count; empty for the country's");
  action(command, async (call) => (await work()).setOrganisation(call));
}

function work(): Promise<typeof import('../work/organisations.js')> {
  return import('../work/organisations.js');
}
