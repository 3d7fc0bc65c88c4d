/** Joins the cursor of an endpoint `w`, as `c`. */
export const CURSOR = `left join webhook_cursors c on c.organisation_id = w.organisation_id and c.webhook_id = w.id
    and c.activation = w.activation`;
/**
 * A cursor belongs to one activation: events from the time when an endpoint was disabled are not sent
 * automatically.
 */
export const CURSOR_POSITION = 'greatest(c.position, w.activated_position)';
