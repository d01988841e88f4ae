/** What the manual of the operator hides of a session, so that every session writes the same one. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { shellWords, withoutChance } from "#test/support/manual.ts";

type Kind = Parameters<typeof newId>[0];
const kinds: Record<Kind, true> = {
  ...{ request: true, key: true, organization: true, meter: true, task: true, user: true },
  ...{ session: true, device: true, invitation: true, audit: true, order: true, refund: true, invoice: true },
  webhook: true,
  group: true,
  directory_token: true,
  admin_token: true,
  proposal: true,
};

test.each(Object.keys(kinds) as Kind[])(
  "two sessions differ in the id of a %s, and their manuals do not",
  (kind) => {
    const [one, two] = [newId(kind, 1), newId(kind, 2_000_000_000_000)];
    for (const write of [
      (id: string) => `id: ${id}`,
      (id: string) => `the line of ${id} that went on, and on`,
      (id: string) => `${id},${id},20.00`,
      (id: string) => `cut ${id.slice(0, 12)}…`,
    ])
      expect(withoutChance(write(one))).toBe(withoutChance(write(two)));
    expect(withoutChance(`id: ${one}`)).not.toContain(one);
  },
);

test.each([
  ["asked_at: -", "asked_at: 2026-11-23T10:59:23.444Z"],
  ["tries: 0", "tries: 3"],
  ["transaction: 2026269869831890356273786941", "transaction: 2026698011401909380524581577"],
  ["a,2026-11-23T17:11:22.619…", "a,2026-11-23T17:11:23.…"],
  ["number: INV-2026-000001", "number: INV-2027-000001"],
])("%s is as good as %s", (one, two) => {
  expect(withoutChance(one)).toBe(withoutChance(two));
});

test("figures stay", () => {
  expect(withoutChance("amount: 100.00\nnumber: INV-2026-000001")).not.toBe(
    withoutChance("amount: 100.01\nnumber: INV-2026-000001"),
  );
  expect(withoutChance("number: INV-2026-000001")).not.toBe(withoutChance("number: INV-2026-000002"));
});

test("a line is split as a shell splits it", () => {
  expect(shellWords("invoice void ivc_1 --reason 'credit note 7' > file.txt")).toEqual([
    ...["invoice", "void", "ivc_1", "--reason", "credit note 7"],
  ]);
});
