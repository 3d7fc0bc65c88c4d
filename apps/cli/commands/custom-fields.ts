import { type Command, Option } from 'commander';
import { API_ACCESSES, FIELD_TYPES, SENSITIVITIES } from '#resources/organisation/custom-field/custom-field.rules.js';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce custom-fields …`: fields that an organisation adds to its people. */
export function register(program: Command): void {
  const group = program.command('custom-fields').description('keep the custom fields of an organisation');
  const create = ofOrganisation(group.command('create').description('create a custom field'))
    .requiredOption('--key <key>', 'what programs call it; never changes')
    .requiredOption('--label <label>', 'what people call it')
    .addOption(new Option('--field-type <type>', 'what its values are; never changes').choices(FIELD_TYPES).makeOptionMandatory());
  action(withFields(create), async (call) => (await work()).createField(call));
  const update = ofOrganisation(
    group.command('update').argument('<field>', 'id or key of the custom field').description('change a custom field'),
  ).option('--label <label>', 'what people call it');
  action(withFields(update), async (call) => (await work()).updateField(call));
  action(ofOrganisation(group.command('list').description('list all custom fields, the hidden ones included')), async (call) =>
    (await work()).listFields(call),
  );
  const set = ofOrganisation(
    group
      .command('set')
      .argument('<person>', 'id, work e-mail or staff id')
      .description("set or clear a person's values, those of hidden and read-only fields too"),
  )
    .option('--value <key=value>', 'a value by the key of its field; may be repeated', collect)
    .option('--clear <key>', 'the key of a field to clear; may be repeated', collect);
  action(set, async (call) => (await work()).setValues(call));
}

function withFields(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for; empty for none')
    .addOption(new Option('--sensitivity <sensitivity>', 'how careful one has to be with its values (operational)').choices(SENSITIVITIES))
    .addOption(new Option('--api-access <access>', 'what the API may do with it (hidden)').choices(API_ACCESSES))
    .option('--display-order <number>', 'its place in lists, from 0 (0)')
    .addOption(
      new Option('--is-required [boolean]', 'whether a value that is there may not be cleared (false)')
        .choices(['true', 'false'])
        .preset('true'),
    )
    .addOption(new Option('--options <list>', 'what single_select offers, in order: value:Label,value:Label').conflicts('option'))
    .option('--option <value:Label>', 'the same, one at a time; may be repeated', collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function work(): Promise<typeof import('../work/custom-fields.js')> {
  return import('../work/custom-fields.js');
}
