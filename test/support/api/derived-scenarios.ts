import {
  derivedRequest,
  type Ids,
  kindsOfPath,
  kindThatIsMadeBy,
  makeAround,
  nameOf,
  type Request,
  type Route,
  WRITES,
} from './derived-requests.js';
import type { ScenarioSetting, WriteScenario } from './scenario-setting.js';
import { WRITE_SCENARIOS, WRITES_WITHOUT_EVENTS } from './write-scenarios.js';

/**
 * Every write that records an event: by its own scenario where it has one, else derived from its contract
 * class.
 */
export const SCENARIOS: Readonly<Record<string, (at: ScenarioSetting) => Promise<WriteScenario>>> = {
  ...WRITE_SCENARIOS,
  ...Object.fromEntries(
    WRITES.filter((route) => !(nameOf(route) in WRITE_SCENARIOS) && !WRITES_WITHOUT_EVENTS.includes(nameOf(route))).map(
      (route) => [nameOf(route), (at: ScenarioSetting) => scenarioOf(at, route)],
    ),
  ),
};

/** Returns the scenario of a write for which a body of its class is enough, with newly created resources. */
async function scenarioOf(at: ScenarioSetting, route: Route): Promise<WriteScenario> {
  const [one, two] = [await makeAround(at, route), await makeAround(at, route)];
  const request = await derivedRequest(at, route, one);
  const other =
    route.operation.body === undefined ? await anotherAction(at, route, one) : await derivedRequest(at, route, one);
  return {
    request,
    ...(other === null ? {} : { other }),
    ...(route.method === 'PATCH' ? { moveOn: () => changeAgain(at, route, one) } : {}),
    // A key creates one resource, independent of its place.
    ...(kindThatIsMadeBy(route) === null && two.size > 0 ? { elsewhere: await derivedRequest(at, route, two) } : {}),
  };
}

async function changeAgain(at: ScenarioSetting, route: Route, ids: Ids): Promise<void> {
  const { method, path, body, ifMatch } = await derivedRequest(at, route, ids);
  await at.send(method, path, body, ifMatch);
}

/** Returns another write to the same resource; null where it has none. */
async function anotherAction(at: ScenarioSetting, route: Route, ids: Ids): Promise<Request | null> {
  const kinds = [...kindsOfPath(route).values()].join();
  const other = WRITES.find((one) => one !== route && [...kindsOfPath(one).values()].join() === kinds);
  return other === undefined ? null : derivedRequest(at, other, ids);
}
