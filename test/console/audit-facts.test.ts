/** The facts of the audit log, as its page shows them in both languages. */
import { expect, test } from "vitest";
import { factsOf } from "../../console/audit-facts.ts";
import { words as en } from "../../console/pages/team/audit/en.ts";
import { words as zh } from "../../console/pages/team/audit/zh.ts";
import { words as frameEn } from "../../console/words/en/frame.ts";
import { words as frameZh } from "../../console/words/zh/frame.ts";

const lineOf = ({ name, before, after }: ReturnType<typeof factsOf>[number]) =>
  `${name}: ${[before, after].filter(Boolean).join(" → ")}`;

test("names and values are in the reader's language, and in one order whatever the line's is", () => {
  const one = { before: null, after: { booked_as: "points", points: "100.00", amount: "100.00" } };
  const other = { before: null, after: { points: "100.00", amount: "100.00", booked_as: "points" } };
  for (const entry of [one, other])
    expect(factsOf(entry, zh, frameZh.roles).map(lineOf)).toEqual([
      "金额: 100.00",
      "入账为: 点数",
      "点数: 100.00",
    ]);
});

test("a role is told before and after", () => {
  const entry = { before: { role: "member" }, after: { role: "finance" } };
  expect(factsOf(entry, zh, frameZh.roles).map(lineOf)).toEqual(["角色: 成员 → 财务"]);
  expect(factsOf(entry, en, frameEn.roles).map(lineOf)).toEqual(["Role: Member → Finance"]);
});

test("what is empty is left out, and what was emptied is not", () => {
  const invited = { before: null, after: { phone_last_four: null, role: "admin" } };
  expect(factsOf(invited, en, frameEn.roles).map(lineOf)).toEqual(["Role: Admin"]);
  const renamed = { before: { name: "Ann" }, after: { name: "" } };
  expect(factsOf(renamed, en, frameEn.roles).map(lineOf)).toEqual(["Name: Ann → –"]);
});

test("what somebody typed is not translated", () => {
  const entry = { before: null, after: { name: "points", reason: "plan" } };
  expect(factsOf(entry, zh, frameZh.roles).map(lineOf)).toEqual(["名称: points", "原因: plan"]);
});

test("a fact without words is shown as it is, and last", () => {
  const entry = { before: null, after: { new_fact: "1", name: "Ann" } };
  expect(factsOf(entry, en, frameEn.roles).map(lineOf)).toEqual(["Name: Ann", "new fact: 1"]);
});

test("both languages tell the same facts in the same order", () => {
  expect(Object.keys(zh.facts)).toEqual(Object.keys(en.facts));
});
