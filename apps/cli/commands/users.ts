import { type Command, Option } from 'commander';
import { ROLES } from '#kernel/roles.js';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

const WHO = ['<user>', 'e-mail address or id of the user, from users list'] as const;
const CHANGES = {
  deactivate: 'keep a user from signing in, end their sessions, and revoke the API keys that they made',
  reactivate: 'let a deactivated user sign in again',
  erase: 'erase the e-mail address of a user, who can never sign in again',
} as const;

/** `workforce users …`: the people of an organisation who sign in. */
export function register(program: Command): void {
  const group = program.command('users').description('invite, list and change the people who sign in');
  const invite = group
    .command('invite')
    .argument('<email>', 'e-mail address')
    .description('make a user, or find the one there is, and print a link to sign in once, which works for 15 minutes')
    .addOption(roleOption());
  action(ofOrganisation(invite), async (call) => (await work()).inviteUser(call));
  action(
    group
      .command('list')
      .description('list users, their roles and how many sessions they have')
      .option('--organisation <organisation>', 'id or subdomain (default: all organisations)'),
    async (call) => (await work()).listUsers(call),
  );
  const setRole = group
    .command('set-role')
    .argument(...WHO)
    .description('give a user another role, which their open sessions have within a second')
    .addOption(roleOption());
  action(ofOrganisation(setRole), async (call) => (await work()).setRole(call));
  for (const [change, description] of Object.entries(CHANGES)) {
    const command = group
      .command(change)
      .argument(...WHO)
      .description(description);
    if (change === 'erase') command.option('--yes', 'confirm it');
    if (change !== 'reactivate')
      command.option('--keep-keys', 'leave the API keys that they made, which are revoked otherwise');
    action(ofOrganisation(command), async (call) => (await work()).changeUser(call, change as keyof typeof CHANGES));
  }
  const signOut = group
    .command('sign-out')
    .argument(...WHO)
    .description('end all sessions of a user and withdraw their link');
  action(ofOrganisation(signOut), async (call) => (await work()).signOut(call));
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the user may do').choices([...ROLES]).makeOptionMandatory();
}

function work(): Promise<typeof import('../work/users.js')> {
  return import('../work/users.js');
}
