import { type Command, Option } from 'commander';
import { API_ACCESSES, FIELD_TYPES, SENSITIVITIES } from '#organisation/custom-field/custom-field.rules.js';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce custom-fields …`: fields that an organisation adds to its people. */
export function register(program: Command): void {
  const group = program.command('custom-fields').description('manage the custom fields of an organisation');
  const create = ofOrganisation(group.command('create').description('create a custom field'))
    .requiredOption('--key <key>', 'name of the field in the API; never changes')
    .requiredOption('--label <label>', 'its name for people')
    .addOption(
      new Option('--field-type <type>', 'type of its values; never changes').choices(FIELD_TYPES).makeOptionMandatory(),
    );
  action(withFields(create), async (call) => (await work()).createField(call));
  const update = ofOrganisation(
    group.command('update').argument('<field>', 'id or key of the custom field').description('change a custom field'),
  ).option('--label <label>', 'its name for people');
  action(withFields(update), async (call) => (await work()).updateField(call));
  action(
    ofOrganisation(group.command('list').description('list all custom fields, including hidden ones')),
    async (call) => (await work()).listFields(call),
  );
  const set = ofOrganisation(
    group
      .command('set')
      .argument('<person>', 'id, work e-mail or staff id')
      .description("set or clear a person's values, including those of hidden and read-only fields"),
  )
    .option('--value <key=value>', 'value of the field with this key; may be repeated', collect)
    .option('--clear <key>', 'key of a field to clear; may be repeated', collect);
  action(set, async (call) => (await work()).setValues(call));
}

function withFields(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for; empty for none')
    .addOption(
      new Option(
        '--sensitivity <sensitivity>',
        'sensitivity of its values (default for a new field: operational)',
      ).choices(SENSITIVITIES),
    )
    .addOption(
      new Option('--api-access <access>', 'access through the API (default for a new field: hidden)').choices(
        API_ACCESSES,
      ),
    )
    .option('--display-order <number>', 'its position in lists, from 0 (default for a new field: 0)')
    .addOption(
      new Option(
        '--is-required [boolean]',
        'whether clearing an existing value is refused (default for a new field: false)',
      )
        .choices(['true', 'false'])
        .preset('true'),
    )
    .addOption(
      new Option(
        '--options <list>',
        'the choices of a single_select field, in order: value:Label,value:Label',
      ).conflicts('option'),
    )
    .option('--option <value:Label>', 'one choice of a single_select field; may be repeated', collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function work(): Promise<typeof import('../work/custom-fields.js')> {
  return import('../work/custom-fields.js');
}
