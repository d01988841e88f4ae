/** What keeps keys and repeated calls whole while the pepper is rotated. */
import type { Row } from "#test/guards/guard.ts";

const rotation = "local/operator-pepper › is rotated step by step, while every key goes on and none is lost";

export const peppers: Row[] = [
  {
    id: "peppers-1",
    test: rotation,
    guard: "if (needed_by.length > 0) return { needed_by };",
    without: "",
    rule: "no version of the pepper is dropped that a living key needs",
  },
  {
    id: "peppers-2",
    test: "local/operator-pepper › is not dropped while a process may still make keys under the version before",
    guard: "if (previous && now() < settledAt(stored)) {",
    without: "if (previous && now() < 0) {",
  },
  {
    id: "peppers-3",
    test: "shared/calls/access/peppers › moves once, and no call of it is refused, in whatever order two calls come",
    guard: "if (item?.moved) return await findByHash(aws, table, readText(item.moved));",
    without: "if (item?.moved) return undefined;",
    rule: "no key is refused while it moves to another hash",
  },
  {
    id: "peppers-4",
    test: rotation,
    guard: "...(current.version > 1 && { hash_version: current.version }),",
    in: "edges/api/keys.ts",
    without: "",
    rule: "a key's record says under which version of the pepper it is stored",
  },
  {
    id: "peppers-5",
    test: "shared/calls/access/peppers › made during a rotation is found by a process whose copy of the secret is older",
    guard: "if (previous !== undefined) items.push(movedItem(previous, record.hash, record.created_at));",
    without: "",
  },
  {
    id: "peppers-6",
    test: "shared/calls/access/peppers › stays revoked when it is revoked while it moves",
    guard: 'at), [\n      equals("status", toAttribute("active")),\n      ...asRead(record),\n    ]),',
    without: "at), asRead(record)),",
  },
  {
    id: "peppers-7",
    test: "shared/calls/access/peppers › stays revoked when it is revoked while it moves",
    guard: "when: asRead(read),",
    without: "when: [],",
  },
  {
    id: "peppers-8",
    test: "shared/base/platform/pepper › the names of repetitions stay those of the first version",
    guard: 'replayNames: replayNames ?? deriveKey((previous ?? current).value, "idempotency keys"),',
    without: 'replayNames: deriveKey(current.value, "idempotency keys"),',
    rule: "processes with different copies of the pepper see the same claim of an idempotency key",
  },
  {
    id: "peppers-9",
    test: "local/operator-pepper › is changed by one of two who change it at once",
    guard: "if (version !== before.version) return false;",
    without: "if (version !== before.version) return true;",
  },
  {
    id: "peppers-10",
    test: "infra/operator/connection › a pepper is not rotated where functions run a release that would take its versions for the pepper itself",
    guard: "if (!connection.knowsPepperVersions)",
    without: "if (false)",
  },
  {
    id: "peppers-11",
    test: "deployed/secrets › a stage keeps the values of its secrets: nothing that would make other ones has changed",
    guard: "const generateSecretString = { passwordLength: 64,",
    without: "const generateSecretString = { passwordLength: 65,",
    rule: "no deployment gives a stage another pepper, or another secret of accounts",
  },
];
