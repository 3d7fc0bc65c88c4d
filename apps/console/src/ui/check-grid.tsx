import { Checkbox, SimpleGrid } from '@mantine/core';

interface CheckGridProperties<Value extends string> {
  readonly label: string;
  readonly description: string;
  /** Whether the choices are disabled. */
  readonly isOptional?: boolean;
  /** The choices. */
  readonly options: readonly Value[];
  readonly value: readonly Value[];
  readonly error: string | undefined;
  readonly onChange: (value: readonly Value[]) => void;
}

/** Chooses at least one of several names. */
export function CheckGrid<Value extends string>(properties: CheckGridProperties<Value>) {
  const { label, description, isOptional = false, options, value, error, onChange } = properties;
  return (
    <Checkbox.Group
      label={label}
      description={description}
      required={!isOptional}
      value={[...value]}
      onChange={(values) => onChange(values as Value[])}
      error={error}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt="xs">
        {options.map((option) => (
          <Checkbox key={option} value={option} label={option} size="sm" />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
