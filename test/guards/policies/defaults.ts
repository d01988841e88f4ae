/** What a key's calls wish by default, and who changes it. */
import type { Row } from "#test/guards/guard.ts";

const calls = "shared/calls/gateway/key-defaults";
const changes = "shared/edges/api/key-changes";

export const defaults: Row[] = [
  {
    id: "defaults-1",
    test: `${calls} › lets tools go without a header, and a call may refuse that`,
    guard: "if (given === undefined) return defaultValues(key.defaults, name) ?? [];",
    without: "if (given === undefined) return [];",
  },
  {
    id: "defaults-2",
    test: `${calls} › are set or not set without a header, and a call's header wins`,
    guard: "if (given === undefined) return defaultValues(key.defaults, name) ?? [];",
    without:
      "const own = defaultValues(key.defaults, name);\n  if (own || given === undefined) return own ?? [];",
  },
  {
    id: "defaults-3",
    test: `${changes} › that is revoked, unknown or another organization's is 40401 and gets no line`,
    guard: 'if (!before || before.status === "revoked") return undefined;',
    without: "if (!before) return undefined;",
  },
  {
    id: "defaults-4",
    test: `${changes} › is changed by who made it and by who manages all keys, with a session, and by nobody else`,
    guard: "return managesAll(rights) || isOwn(await accounts.key(rights.organization.id, id), rights);",
    without: "return true;",
  },
  {
    id: "defaults-5",
    test: `${changes} › a change begins anew where the key moves to another hash meanwhile`,
    guard: 'equals("hash", toAttribute(read.hash)),',
    without: "",
  },
];
