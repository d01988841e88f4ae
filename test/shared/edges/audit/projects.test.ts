/** What the audit finds of projects: records and what organizations say of them. */
import { expect, test } from "vitest";
import { wrongProjects } from "#shared/edges/audit/projects.ts";

const item = (sk: string, fields: object) => ({ pk: "O#org_1", sk, fields: { ...fields }, isAsHashed: true });
const record = (project: string) =>
  item(`P#${project}`, { organization: "org_1", project, name: "n", revision: 0 });
const owner = (records: number, archived: string[]) => ({ id: "org_1", projects: { records, archived } });

test("records that are told of are right, and so is an organization without any", () => {
  expect(wrongProjects([owner(2, ["b"])], [record("a"), record("b")])).toEqual([]);
  expect(wrongProjects([{ id: "org_1" }], [])).toEqual([]);
});

test.each([
  [owner(1, []), ["a", "b"], "org_1 has the records of 1 projects, and 2 are there"],
  [owner(1, ["b"]), ["a"], "org_1 has archived b, which has no record"],
  [owner(1, ["a", "a"]), ["a"], "org_1 has no list of archived projects, in which each stands once"],
  [{ id: "org_2" }, ["a"], "O#org_1 has projects, and is not there"],
])("%j with %j is told", (organization, handles, told) => {
  expect(wrongProjects([organization], handles.map(record))).toEqual([told]);
});

test("a record at another place is told", () => {
  const moved = item("P#b", { organization: "org_1", project: "a", name: "n", revision: 0 });
  expect(wrongProjects([owner(1, [])], [moved])).toEqual([expect.stringMatching(/^O#org_1 P#b .*project/)]);
});
