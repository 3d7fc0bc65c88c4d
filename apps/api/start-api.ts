import { Projector } from '#projections/projector.js';
import { RESOURCE_MODULES } from '#resources/modules.js';
import { PROJECTIONS } from '#resources/registry.js';
import { type ListenerOptions, type RunningApi, startListener, SYSTEM_CLOCK } from './listener.js';

/** Starts one listener of the API with all resources. Throws what listening or the database throws. */
export function startApi(options: Omit<ListenerOptions, 'modules' | 'providers'>): Promise<RunningApi> {
  const projector = new Projector(PROJECTIONS, options.clock ?? SYSTEM_CLOCK);
  return startListener({ ...options, modules: RESOURCE_MODULES, providers: [{ provide: Projector, useValue: projector }] });
}
