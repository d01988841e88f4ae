/** Handles of projects: what names lead to, whatever they are, and that no two are the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { handlesFor, isArchived, isChosen, isOpenTo } from "#shared/books/accounts/project.ts";
import { isName } from "#shared/edges/api/report-parameters.ts";

const firstOf = (name: string) => handlesFor(name).next().value as string;

test.each([
  ["Search team", "search-team"],
  ["  R&D / Ops (EU)  ", "r-d-ops-eu"],
  ["搜索 团队", "搜索-团队"],
  ["Ｆｕｌｌ", "full"],
  ["…", "project"],
  ["a".repeat(100), "a".repeat(48)],
  [`${"a".repeat(47)} b`, "a".repeat(47)],
])("%s leads to %s", (name, handle) => {
  expect(firstOf(name)).toBe(handle);
});

test("whatever the name, each handle is a name that keys may have, and another one", () => {
  const names = fc.string({ unit: "binary", maxLength: 128 });
  fc.assert(
    fc.property(names, (name) => {
      const handles = [...handlesFor(name).take(5)];
      expect(new Set(handles).size).toBe(5);
      for (const handle of handles) {
        expect([handle, isName(handle)]).toEqual([handle, true]);
        expect(handle).toMatch(/^[^\s/]+$/u);
      }
    }),
    { seed: 20261130 },
  );
});

test("a project is open to whoever it names since the same instant, and to all where it names nobody", () => {
  const record = { project: "a", members: { usr_1: 5 } };
  const projects: string[] = [];
  expect(isOpenTo(undefined, { id: "usr_2", since: 1, projects })).toBe(true);
  expect(isOpenTo({ project: "a" }, { id: "usr_2", since: 1, projects })).toBe(true);
  expect(isChosen({}, { id: "usr_2", since: 1 })).toBe(false);
  for (const [id, since, is] of [
    ["usr_1", 5, true],
    ["usr_1", 6, false],
    ["usr_2", 5, false],
    ["toString", 5, false],
  ] as const)
    expect(isOpenTo(record, { id, since, projects })).toBe(is);
});

test("a project is open to whom groups make a member of it, and of no other one", () => {
  const record = { project: "a", members: {} };
  expect(isOpenTo(record, { id: "usr_1", since: 1, projects: ["a"] })).toBe(true);
  expect(isOpenTo(record, { id: "usr_1", since: 1, projects: ["b", "aa"] })).toBe(false);
});

test("no organization has archived what stands for no project", () => {
  expect(isArchived({}, "a")).toBe(false);
  expect(isArchived({ projects: { records: 1, archived: ["a"] } }, "")).toBe(false);
  expect(isArchived({ projects: { records: 1, archived: ["a"] } }, "a")).toBe(true);
});
