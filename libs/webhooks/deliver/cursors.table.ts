/** Joins the cursor of an endpoint `w`, as `c`. */
export const CURSOR =
  'left join webhook_cursors c on c.organisation_id = w.organisation_id and c.webhook_id = w.id and c.activation = w.activation';
/** A cursor is of one activation: what happened while an endpoint was disabled is not sent by itself. */
export const CURSOR_POSITION = 'greatest(c.position, w.activated_position)';
