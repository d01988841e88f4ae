/** The operator's commands on providers' keys. */
import { beforeEach, expect, test } from "vitest";
import { createSecrets } from "#shared/base/platform/secrets.ts";
import { arns, useOperatedSecrets } from "#test/support/operated-secrets.ts";

const secrets = useOperatedSecrets();
const long = "sk-acme-0123456789abcdef";
const stored = () => JSON.parse(secrets.values.get(arns.providers) ?? "");
beforeEach(() => {
  secrets.values.set(arns.providers, '{"OLD_KEY":"short","BY_HAND_KEY":" sk-by-hand-123456 "}');
  secrets.values.set(arns.platforms, "{}");
});

test("are put from standard input, beside what is there, and functions read them", async () => {
  secrets.writtenAt = Date.now();
  const put = await secrets.operate("secret put ACME_KEY", `${long}\n`);
  expect(put).toMatchObject({
    code: 0,
    value: { name: "ACME_KEY", state: "set", used_by: ["acme", "both"], last_four: "cdef" },
  });
  expect(stored()).toMatchObject({ OLD_KEY: "short", ACME_KEY: long });
  const held = createSecrets(secrets.aws, arns, () => {});
  expect(await held.provider("ACME_KEY")).toBe(long);
  expect(held.lacks("$set")).toBe(true);
});

test("are listed with what is missing and what nobody uses, and never shown", async () => {
  await secrets.operate("secret put ACME_KEY", long);
  const listed = await secrets.operate("secret list");
  expect(listed.value.slice(0, 4)).toMatchObject([
    { name: "ACME_KEY", state: "set", used_by: ["acme", "both"], last_four: "cdef", age_seconds: 0 },
    { name: "BY_HAND_KEY", state: "set", used_by: [], last_four: "3456", set_at: null, age_seconds: null },
    { name: "OLD_KEY", state: "set", used_by: [], last_four: null, set_at: null },
    { name: "SPARE_KEY", state: "missing", used_by: ["both"], last_four: null, set_at: null },
  ]);
  const { out } = await secrets.look("secret list");
  for (const key of [long, "short", "sk-by-hand"]) expect(out).not.toContain(key);
  // Somebody changes it by hand: the command does not know its age any more.
  secrets.values.set(arns.providers, JSON.stringify({ ...stored(), ACME_KEY: `${long}-2` }));
  expect((await secrets.operate("secret list")).value[0]).toMatchObject({ set_at: null, age_seconds: null });
});

test("are removed by name", async () => {
  await secrets.operate("secret put ACME_KEY", long);
  expect((await secrets.operate("secret remove ACME_KEY")).value).toMatchObject({
    state: "missing",
    set_at: null,
  });
  expect(stored()).toEqual({ OLD_KEY: "short", BY_HAND_KEY: " sk-by-hand-123456 ", $set: {} });
  expect(await secrets.operate("secret remove ACME_KEY")).toMatchObject({
    code: 2,
    error: "ACME_KEY is not set; secret list shows the names\n",
  });
});

test.each([
  ["", "the value is empty: nothing was changed"],
  [" \n", "the value is empty: nothing was changed"],
  [
    "sk-1\nsk-2\n",
    "the value has spaces, line breaks or other characters that no key has: nothing was changed",
  ],
  [
    '{"type":"service_account",',
    "the value begins like a credential file and is no JSON object; give the whole file: nothing was changed",
  ],
])("are not put from %j", async (typed, error) => {
  expect(await secrets.operate("secret put ACME_KEY", typed)).toMatchObject({ code: 2, error: `${error}\n` });
  expect(stored()).toEqual({ OLD_KEY: "short", BY_HAND_KEY: " sk-by-hand-123456 " });
});

test("may be a cloud's credential file, of which nothing is shown", async () => {
  const file = { type: "service_account", client_email: "models@acme.test", private_key: "line 1\nline 2\n" };
  const { value } = await secrets.operate("secret put ACME_KEY", JSON.stringify(file, null, 2));
  expect(value).toMatchObject({ name: "ACME_KEY", state: "set", last_four: null });
  expect(stored()).toMatchObject({ ACME_KEY: JSON.stringify(file) });
});

test("have names as the catalog writes them, and are no arguments", async () => {
  for (const line of ["secret put acme-key", "secret remove $set"])
    expect((await secrets.operate(line, long)).error).toContain("is no name of a provider's key");
  const { code, error } = await secrets.operate(`secret put ACME_KEY ${long}`);
  expect([code, error]).toEqual([2, expect.stringContaining("secret put takes no ")]);
});

test("are typed at a terminal, which shows nothing of them", async () => {
  const typed = await secrets.look(
    "secret put ACME_KEY",
    { stdin: true, stderr: true },
    `sk-acmX\x7fe-${long}\r`,
  );
  expect(typed.error).toBe("The key for ACME_KEY (it is not shown): \n");
  expect(typed.out).not.toContain(long);
  expect(stored().ACME_KEY).toBe(`sk-acme-${long}`);
  const left = await secrets.look("secret put ACME_KEY", { stdin: true, stderr: true }, "sk-\x03");
  expect([left.code, left.error.endsWith("nothing was changed\n")]).toEqual([2, true]);
});

test("of two who put at once are both there", async () => {
  const [one, two] = await Promise.all([
    secrets.operate("secret put ACME_KEY", long),
    secrets.operate("secret put SPARE_KEY", `${long}-2`),
  ]);
  expect([one.code, two.code]).toEqual([0, 0]);
  expect(stored()).toMatchObject({ ACME_KEY: long, SPARE_KEY: `${long}-2`, OLD_KEY: "short" });
});

test("are left alone where the secret is no JSON object, which is not quoted", async () => {
  secrets.values.set(arns.providers, '{"ACME_KEY": sk-live-4711}');
  const { code, error } = await secrets.operate("secret put ACME_KEY", long);
  expect([code, error]).toEqual([2, "the providers' secret is no JSON object; repair it first\n"]);
});
