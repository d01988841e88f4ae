/** The files of the stages' settings: what they say, and what is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { defaultCatalog } from "#infra/default-catalog.ts";
import { fronts } from "#infra/stage.ts";
import { readStageFile } from "#infra/stage-file.ts";
import { limits } from "#shared/limits.ts";

const folder = mkdtempSync(join(tmpdir(), "stage-file-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is read from a file with this content. */
function read(content: unknown) {
  writeFileSync(
    join(folder, "eu-1.json"),
    typeof content === "string" ? content : JSON.stringify(content, null, 2),
  );
  return readStageFile("eu-1", folder);
}

it.each(["dev", "prod"])("of %s is there, and names its catalog", (stage) => {
  expect(readStageFile(stage).catalog).toBe(defaultCatalog);
});

it("may say nothing, or everything", () => {
  expect(read({})).toEqual({});
  const settings = {
    ...{ alarmEmail: "ops@example.com", gatewayConcurrency: 900, front: "both", taskLifetimeSeconds: 60 },
    tags: { "cost center": "4711", Größe: "" },
  };
  expect(read({ $schema: "./schema.json", catalog: "../c.json", ...settings })).toMatchObject({
    ...settings,
    catalog: join(folder, "../c.json"),
  });
});

it("has the bounds and the names that the stage has", () => {
  for (const front of fronts) expect(read({ front })).toEqual({ front });
  const most = limits.taskLifetimeSeconds;
  expect(read({ taskLifetimeSeconds: most })).toEqual({ taskLifetimeSeconds: most });
  expect(() => read({ taskLifetimeSeconds: most + 1 })).toThrow("must be <= 86400");
});

it.each<[unknown, string]>([
  [{ alarmMail: "a@b" }, 'there is no setting "alarmMail". Did you mean "alarmEmail"?'],
  [{ colour: "red" }, 'there is no setting "colour". Settings are catalog, alarmEmail,'],
  [
    { gatewayConcurrency: "900" },
    'gatewayConcurrency is "900", and must be integer. Expected: The most calls',
  ],
  [{ gatewayConcurrency: 0 }, "gatewayConcurrency is 0, and must be >= 1."],
  [{ gatewayConcurrency: 100_001 }, "gatewayConcurrency is 100001, and must be <= 100000."],
  [{ taskLifetimeSeconds: 1.5 }, "taskLifetimeSeconds is 1.5, and must be integer."],
  [{ front: "url,web" }, 'front is "url,web", and must be one of "url", "web", "both".'],
  [{ alarmEmail: "ops" }, 'alarmEmail is "ops", and must match pattern'],
  [{ tags: { team: 1 } }, "tags.team is 1, and must be string."],
  [{ tags: { stage: "x" } }, 'tags has the name "stage", which is not allowed.'],
  [{ tags: { "aws:team": "x" } }, 'tags has the name "aws:team", which is not allowed.'],
  [{ catalog: "" }, 'catalog is "", and must NOT have fewer than 1 characters.'],
  [[], "the file is [], and must be object."],
])("is refused with %j", (content, message) => {
  expect(() => read(content)).toThrow(`eu-1.json: ${message}`);
});

it("is refused with all its faults at once, a line each", () => {
  const read2 = () => read({ front: "no", colour: "red" });
  expect(read2).toThrow(/eu-1\.json: there is no setting "colour".*\n.*eu-1\.json: front is "no"/);
});

it("is refused if it is no JSON, with what is wrong", () => {
  expect(() => read('{ "front": url }')).toThrow(/eu-1\.json is no JSON: Unexpected token 'u'/);
});

it("says how to make one where there is none", () => {
  const message = (stage: string) => {
    try {
      readStageFile(stage);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  expect(message("prd")).toContain("there is no file infra/stages/prd.json. Did you mean -c stage=prod?");
  const text = message("asia");
  expect(text).not.toContain("Did you mean");
  expect(text).toContain("Stages with a file: dev, prod.");
  const pasted = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  writeFileSync(join(folder, "pasted.json"), pasted);
  expect(readStageFile("pasted", folder)).toHaveProperty("catalog");
});

it("is checked by an editor with the same schema", () => {
  for (const stage of ["dev", "prod"]) {
    const file = JSON.parse(
      readFileSync(join(import.meta.dirname, `../../infra/stages/${stage}.json`), "utf8"),
    );
    expect(file.$schema).toBe("./schema.json");
  }
});
