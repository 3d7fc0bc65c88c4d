/** Injection tokens of the dependencies that `apps/api` provides to every Nest module. */

/** An `EndpointUrls`. */
export const ENDPOINT_URLS = Symbol('ENDPOINT_URLS');
/** A `DeliveryQueue`. */
export const DELIVERY_QUEUE = Symbol('DELIVERY_QUEUE');
