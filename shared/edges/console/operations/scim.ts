/** The routes of SCIM by their paths (people/scim/README.md). Each group is loaded with the first request for it. */
import { GatewayError } from "../../../base/errors.ts";
import type { HttpReply } from "../../../base/http/message.ts";
import type { ConsoleRequest } from "../call.ts";
import { type ScimAnswers, scimReply } from "../scim.ts";
import { identifyProvider, type ScimCaller } from "./scim-caller.ts";
import type { ScimDeps } from "./scim-deps.ts";

type Answered = (caller: ScimCaller, id: string) => Promise<HttpReply> | HttpReply;

/** What answers the routes below `scimPath`. Every one of them wants the token. */
export function scimAnswers(deps: ScimDeps): ScimAnswers {
  const people = () => import("./scim-people.ts");
  const groups = () => import("./scim-groups.ts");
  const discovery = () => import("../../../people/scim/discovery.ts");
  const asProvider = (answer: Answered) => async (request: ConsoleRequest, id: string) =>
    await answer(await identifyProvider(request, deps), id);
  return {
    "/Users": {
      GET: asProvider(async (caller) => await (await people()).listPeople(caller, deps)),
      POST: asProvider(async (caller) => await (await people()).createPerson(caller, deps)),
    },
    "/Users/{id}": {
      GET: asProvider(async (caller, id) => await (await people()).showPerson(caller, id, deps)),
      PUT: asProvider(async (caller, id) => await (await people()).replacePerson(caller, id, deps)),
      PATCH: asProvider(async (caller, id) => await (await people()).patchPerson(caller, id, deps)),
      DELETE: asProvider(async (caller, id) => await (await people()).removePerson(caller, id, deps)),
    },
    "/Groups": {
      GET: asProvider(async (caller) => await (await groups()).listGroups(caller, deps)),
      POST: asProvider(async (caller) => await (await groups()).createGroup(caller, deps)),
    },
    "/Groups/{id}": {
      GET: asProvider(async (caller, id) => await (await groups()).showGroup(caller, id, deps)),
      PUT: asProvider(async (caller, id) => await (await groups()).replaceGroup(caller, id, deps)),
      PATCH: asProvider(async (caller, id) => await (await groups()).patchGroup(caller, id, deps)),
      DELETE: asProvider(async (caller, id) => await (await groups()).removeGroup(caller, id, deps)),
    },
    "/ServiceProviderConfig": {
      GET: asProvider(async ({ base }) => scimReply((await discovery()).providerConfig(base))),
    },
    "/ResourceTypes": {
      GET: asProvider(async ({ base }) => whole((await discovery()).resourceTypes(base))),
    },
    "/ResourceTypes/{id}": {
      GET: asProvider(async ({ base }, id) => oneOf((await discovery()).resourceTypes(base), id)),
    },
    "/Schemas": {
      GET: asProvider(async ({ base }) => whole((await discovery()).schemas(base))),
    },
    "/Schemas/{id}": {
      GET: asProvider(async ({ base }, id) => oneOf((await discovery()).schemas(base), id)),
    },
  };
}

/** A list that has no pages. */
function whole(resources: readonly object[]): HttpReply {
  return scimReply({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    ...{ totalResults: resources.length, startIndex: 1, itemsPerPage: resources.length },
    Resources: resources,
  });
}

function oneOf(resources: readonly object[], wanted: string): HttpReply {
  const found = resources.find((each) => (each as { id: string }).id === wanted);
  if (!found) throw new GatewayError("not_found", { message: "SCIM has no such thing here." });
  return scimReply(found);
}
