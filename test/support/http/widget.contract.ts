import { EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';

export class WidgetPart {
  @TextField({ minimumLength: 1, maximumLength: 20, example: 'wheel' })
  readonly label!: string;

  @IntegerField({ minimum: 1, maximum: 9, example: 4 })
  readonly count!: number;
}

export class Widget {
  @IdField('orgUnit')
  readonly id!: string;

  @TextField({ example: 'Cart' })
  readonly name!: string;

  @EnumField(['red', 'green'], { nullable: true })
  readonly colour!: string | null;

  @ListField(() => WidgetPart, { maximumItems: 1_000 })
  readonly parts!: readonly WidgetPart[];

  @IntegerField({ example: 1 })
  readonly version!: number;
}

export class WidgetPartRequest extends WidgetPart {}

export class CreateWidget {
  @TextField({ minimumLength: 1, maximumLength: 40, example: 'Cart' })
  readonly name!: string;

  @EnumField(['red', 'green'], { nullable: true, optional: true })
  readonly colour?: string | null;

  @IdField('person', { nullable: true, optional: true })
  readonly owner_id?: string | null;

  @ListField(() => WidgetPartRequest, { optional: true, maximumItems: 3 })
  readonly parts?: readonly WidgetPart[];
}

export class ChangeWidget {
  @TextField({ minimumLength: 1, maximumLength: 40, optional: true, example: 'Car' })
  readonly name?: string;
}

export class MisbehaveWidget {
  @EnumField(['crash', 'store_down', 'database_down', 'leak', 'incomplete', 'lost_race', 'conflict', 'wait'])
  readonly how!: string;
}

export class WidgetParameters {
  @IdField('orgUnit')
  readonly widgetId!: string;
}

export class WidgetsQuery extends PageQuery {
  @EnumField(['name_desc'], { optional: true })
  readonly sort?: string;
}
