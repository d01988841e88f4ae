/** Policies of levels: what would have to be gone for a call to do more than it may, or for a key to loosen one. */
import type { Row } from "#test/guards/guard.ts";

const calls = "shared/calls/gateway/policies";
const output = "shared/calls/gateway/policies-output";
const keys = "shared/edges/api/key-policies";

export const levelPolicies: Row[] = [
  {
    id: "policies-1",
    test: `${calls} › let %s have %i`,
    guard: "checkAddress(principal, request.ip);",
    without: "",
  },
  {
    id: "policies-2",
    test: `${calls} › let %s have %i`,
    guard: "if (bytes && rules.allowsAddress(bytes)) continue;",
    without: "if (!bytes || rules.allowsAddress(bytes)) continue;",
  },
  {
    id: "policies-3",
    test: "functions/front/client-address › behind %i of them, %j is %s",
    guard: ".at(-proxies)",
    without: ".at(proxies - 1)",
  },
  {
    id: "policies-4",
    test: "functions/front/client-address › behind %i of them, %j is %s",
    guard: "if (given.length !== 1) return undefined;",
    without: "",
  },
  {
    id: "policies-5",
    test: `${calls} › a policy of another project or member bounds nothing, and each level's rule must be met`,
    guard: "idsOfKey[level](key) === id ? [rulesIn(level, policy)] : [],",
    without: "[rulesIn(level, policy)],",
  },
  {
    id: "policies-6",
    test: `${keys} › hands it on to each key that it makes, which may be tighter and nothing else`,
    guard: "const wanted = policyHandedOn(readKeyRequest(body.value, deps.now()), rights);",
    without: "const wanted = readKeyRequest(body.value, deps.now());",
  },
  {
    id: "policies-7",
    test: `${keys} › tightens its own policy and that of others, and loosens none`,
    guard: "checkTightened(key, after, rights);",
    without: "",
  },
  {
    id: "policies-8",
    test: `${keys} › learns no secret of a freer key, and puts off the end of none`,
    guard: "checkPolicyHandedOn(policy, rights);",
    without: "",
  },
  {
    id: "policies-9",
    test: `${output} › is given to a fallback that could answer with more than the call's own model`,
    guard: "const call = withinBound({ ...decoded, model }, deps);",
    without: "const call = { ...decoded, model };",
  },
  {
    id: "policies-10",
    test: "shared/calls/tasks/policies › goes to no provider that a policy forbids: %j",
    guard: "const ours = providers ? all.filter(({ provider }) => providers.includes(provider)) : all;",
    without: "const ours = all;",
  },
  {
    id: "policies-11",
    test: "shared/edges/console/operations/organization-policies › of changes of the same moment none is lost, of budgets neither",
    guard: "changes[name] ? [rowsAre(name, organization[name])] : [],",
    without: "[],",
  },
  {
    id: "policies-13",
    test: "shared/calls/access/policy-cache › are compiled once for both records, and anew when one was read again",
    guard: "if (read.rules?.of !== organization) read.rules",
    without: "if (!read.rules) read.rules",
  },
  {
    id: "policies-12",
    test: `${calls} › leave out what cannot take the call, and what other calls are`,
    in: "gateway/fallback.ts",
    guard: "if (error instanceof GatewayError) return undefined;",
    without: "",
  },
  {
    id: "policies-14",
    test: `${calls} › a tool that the provider runs for nothing is refused as a paid one is, and needs no rate`,
    guard: "checkSwitches(told, principal);",
    without: "checkSwitches(asked, principal);",
  },
];
