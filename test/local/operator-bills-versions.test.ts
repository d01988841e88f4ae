/** `operator bills`: bills that are withdrawn, that replace others, and that name a model otherwise. */
import { describe, expect, test } from "vitest";
import { billHeadKey, billPartKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { useOperatedBills } from "#test/support/bills/operated.ts";
import { tables } from "#test/support/dynamodb.ts";

const { operated, written, theirs, place } = useOperatedBills();

describe("a withdrawn bill", () => {
  /** A provider's bill of its own month, so that no other test meets it. */
  const january = (requests: number) =>
    written(`january-${requests}.csv`, `day,model,requests\n2026-01-05,${theirs},${requests}\n`);
  const of = async (file: string) =>
    (await operated.operate(`bills import ${file} --provider test ${place}`)).value;
  const told = async () => {
    const { value } = await operated.operate(`bills compare --month 2026-01 ${place}`);
    return value.providers[0]?.sections[0].totals.theirs ?? null;
  };

  test("counts nowhere, what it replaced counts again, and its file can be given again", async () => {
    const first = await of(january(1));
    const second = await of(january(2));
    expect(await told()).toEqual({ requests: "2" });
    const { id } = second.bill;
    const withdraw = () => operated.operate(`bills withdraw ${id} --reason of_another_account`);
    const done = await withdraw();
    expect(done).toMatchObject({
      code: 0,
      value: {
        done: true,
        id,
        provider: "test",
        withdrawn: { by: "operator", why: "of_another_account" },
      },
    });
    expect((await withdraw()).value).toEqual({ ...done.value, done: false });
    expect(await told()).toEqual({ requests: "1" });
    const { value: list } = await operated.operate("bills list --month 2026-01");
    expect(list).toMatchObject([
      { id, withdrawn: done.value.withdrawn },
      { id: first.bill.id, replaced_by: [] },
    ]);
    expect((await operated.look("bills list --month 2026-01")).out).toContain("by operator, 20");
    const again = await of(january(2));
    expect(again).toMatchObject({ imported: true, bill: { replaces: [first.bill.id] } });
    expect(again.bill.id).not.toBe(id);
    expect(await of(january(2))).toMatchObject({ imported: false, bill: { id: again.bill.id } });
    expect(await told()).toEqual({ requests: "2" });
  });

  test("parts of a bill that share a day: the import says which days it replaces, a dry run changes nothing", async () => {
    const part = (name: string, ...days: number[]) =>
      written(name, ["day,model,requests", ...days.map((day) => `2026-02-0${day},${theirs},1`)].join("\n"));
    const { bill } = await of(part("part-1.csv", 1, 2, 3));
    const second = part("part-2.csv", 3, 4);
    const replaces_days = [{ bill: bill.id, file: "part-1.csv", days: ["2026-02-03"], tells: ["requests"] }];
    const dry = await operated.operate(`bills import ${second} --provider test --dry-run ${place}`);
    expect(dry).toMatchObject({ code: 0, value: { imported: false, replaces_days } });
    expect((await operated.operate("bills list --month 2026-02")).value).toHaveLength(1);
    const shown = await operated.look(`bills import ${second} --provider test --dry-run ${place}`);
    expect(shown.out).toContain(`replaces_days: 2026-02-03 of ${bill.id} (part-1.csv): requests`);
    expect(await of(second)).toMatchObject({ imported: true, replaces_days });
    // A third bill takes the day from the second one, and nothing more from the first.
    const third = await of(part("part-3.csv", 2, 3, 4, 5));
    expect(
      third.replaces_days.map(({ file, days }: { file: string; days: string[] }) => [file, days]),
    ).toEqual([
      ["part-1.csv", ["2026-02-02"]],
      ["part-2.csv", ["2026-02-03", "2026-02-04"]],
    ]);
  });

  test("may be a damaged one: the comparison names the command", async () => {
    const { accounts } = tables;
    const { bill } = await of(january(3));
    const part = await getItem(operated.aws, accounts, billPartKey(bill.id, 0));
    await putItem(operated.aws, accounts, { ...part, lines: { S: "[]" } }, []);
    const { code, error } = await operated.look(`bills compare --month 2026-01 ${place}`);
    expect([code, error]).toEqual([
      2,
      expect.stringContaining(`operator bills withdraw ${bill.id} --reason TEXT`),
    ]);
    await operated.operate(`bills withdraw ${bill.id} --reason damaged`);
    expect(await told()).toEqual({ requests: "2" });
    const head = await getItem(operated.aws, accounts, billHeadKey("test", bill.id));
    await putItem(operated.aws, accounts, { ...head, lines: { N: "9" } }, []);
    const { value } = await operated.operate("bills list --provider test");
    expect(value.at(-1)).toMatchObject({
      id: bill.id,
      provider: "test",
      damaged: true,
      withdrawn: { why: "damaged" },
    });
    expect((await operated.look("bills list")).out).toContain("damaged");
    await of(january(3));
    expect(await told()).toEqual({ requests: "3" });
  });
});

const atTerminal = { stdin: true, stderr: true };

test("at a terminal an import that replaces days asks first, and so does a withdrawal", async () => {
  const of = (name: string, requests: number) =>
    written(name, `day,model,requests\n2026-03-05,${theirs},${requests}\n`);
  const importing = (file: string) => `bills import ${file} --provider test ${place}`;
  const first = await operated.look(importing(of("first.csv", 1)), atTerminal);
  expect([first.code, first.error]).toEqual([0, ""]);
  const [id = ""] = /bill_[0-9a-f]{20}/.exec(first.out) ?? [];
  const refused = await operated.look(importing(of("second.csv", 2)), atTerminal, "n\n");
  expect(refused.code).toBe(2);
  expect(refused.error).toContain(
    `second.csv counts in the place of earlier bills:\n  2026-03-05 of ${id} (first.csv): requests\n`,
  );
  expect(refused.error).toContain("nothing was done");
  // A damaged one of another test may be of any month.
  const list = async () => {
    const { value } = await operated.operate("bills list --month 2026-03");
    return value.filter((each: object) => !("damaged" in each));
  };
  expect(await list()).toHaveLength(1);
  const kept = await operated.look(`bills withdraw ${id} --reason mistake`, atTerminal, "n\n");
  expect([kept.code, kept.error]).toEqual([2, expect.stringContaining(`${id} counts nowhere from now on`)]);
  expect(await list()).toMatchObject([{ id, replaced_by: [] }]);
  expect((await list())[0]).not.toHaveProperty("withdrawn");
  await operated.look(importing(of("second.csv", 2)), atTerminal, "y\n");
  expect(await list()).toMatchObject([{ replaces: [id] }, { id }]);
});

test("a model under another name in the bill is named, and the comparison ends with 3", async () => {
  const rows = [21, 22, 23].map((day) => `2026-11-${day},other-one,${day === 21 ? 2 : 1}`);
  const file = written("other.csv", ["day,model,requests", ...rows].join("\n"));
  const { value } = await operated.operate(`bills import ${file} --provider test ${place}`);
  const compared = await operated.operate(`bills compare --month 2026-11 ${place}`);
  expect(compared.code).toBe(3);
  expect(compared.value.providers[0].sections[0]).toMatchObject({
    unmatched_models: [{ theirs: "other-one", ours: theirs }],
    totals: { unexplained: {} },
  });
  const { out } = await operated.look(`bills compare --month 2026-11 ${place}`);
  expect(out).toMatch(new RegExp(`other-one +${theirs} +bills import --models may name it`));
  await operated.operate(`bills withdraw ${value.bill.id} --reason other_name`);
  await operated.operate(`bills import ${file} --provider test --models other-one=${theirs} ${place}`);
  const named = await operated.operate(`bills compare --month 2026-11 ${place}`);
  expect(named).toMatchObject({ code: 0, value: { providers: [{ sections: [{ unmatched_models: [] }] }] } });
});
