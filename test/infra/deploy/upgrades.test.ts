/** What the pages of upgrades and formats say of other releases' formats is so. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openPersistence } from "#infra/local/start/persistence.ts";
import { deriveKey, encrypt } from "#shared/base/platform/encryption.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { parseUsageEvent } from "#shared/books/ledger/usage-event.ts";
import { openLesson } from "#shared/calls/cache/semantic/lesson.ts";
import { packPage, unpackPage } from "#shared/calls/cache/semantic/page.ts";
import { isFinal, type TaskStatus } from "#shared/calls/tasks/task.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { leftoversOf } from "#shared/edges/store/meters/meter-item.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const pages = read("infra/deploy/upgrades.md") + read("infra/deploy/formats.md");

describe("the pages", () => {
  it("name the purposes of encryption that the code has", () => {
    const code = ["access/recorder", "cache/keys", "cache/semantic/lesson"].map((name) =>
      read(`shared/calls/${name}.ts`),
    );
    for (const [at, purpose] of ["replayed answers", "cached answers", "cache lesson 1"].entries()) {
      expect(pages).toContain(`\`${purpose}\``);
      expect(code[at]).toContain(`"${purpose}"`);
    }
  });
});

describe("what a release makes of another one's", () => {
  it("usage event: refuses another version", () => {
    expect(() => parseUsageEvent(JSON.stringify({ version: 3 }))).toThrow("unknown version 3");
  });

  it("lesson: does not open another version", () => {
    const key = deriveKey("pepper", "cache lessons");
    const sealed = (context: string) =>
      encrypt(key, context, Buffer.from(JSON.stringify({ kind: "entry" }))).toString("base64");
    expect(openLesson(sealed("cache lesson 1"), "pepper")).toEqual({ kind: "entry" });
    expect(() => openLesson(sealed("cache lesson 2"), "pepper")).toThrow();
  });

  it("page of a context: takes another form for broken", () => {
    const bytes = packPage([]);
    expect(unpackPage(bytes)).toEqual([]);
    bytes[0] = 2;
    expect(() => unpackPage(bytes)).toThrow(RangeError);
  });

  it("meter: leaves attributes alone that it does not know", () => {
    const unknown = { pk: "M#m#0", kind: "meter", e20260101: 1, j: "text", w01JABCDEF0: 5 };
    expect(leftoversOf(toItem({ ...unknown, d20000: 7 })).map(({ name }) => name)).toEqual(["d20000"]);
  });

  it("task: takes a status that it does not know for an end", () => {
    expect(isFinal("paused" as TaskStatus)).toBe(true);
  });

  it("pepper: reads a text as version 1", () => {
    expect(readPeppers("a pepper").current).toEqual({ version: 1, value: "a pepper" });
  });
});

describe("the folder of DATA_DIR", () => {
  const folders: string[] = [];
  const umask = process.umask();
  afterAll(() => {
    process.umask(umask);
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  /** A folder whose note says this; without one if undefined. */
  const folderOf = (note: object | undefined) => {
    const folder = mkdtempSync(join(tmpdir(), "data-dir-"));
    folders.push(folder);
    if (note) writeFileSync(join(folder, "format.json"), JSON.stringify(note));
    return folder;
  };
  const noteIn = (folder: string) => JSON.parse(readFileSync(join(folder, "format.json"), "utf8"));

  it.each([undefined, { format: 1 }, {}])("is opened, and notes its format: %j", async (note) => {
    const folder = folderOf(note);
    await openPersistence(folder);
    expect(noteIn(folder)).toEqual({ format: 1 });
    expect(statSync(join(folder, "format.json")).mode & 0o777).toBe(0o600);
  });

  it("that is a file, or lies below one, is told so in a sentence", async () => {
    const file = join(folderOf(undefined), "file");
    writeFileSync(file, "");
    for (const folder of [file, join(file, "below")]) {
      await expect(openPersistence(folder)).rejects.toThrow(
        `DATA_DIR=${folder} cannot be used: a file is in its place. Name another folder, or move the file away`,
      );
    }
  });

  it("of a newer release is refused with what to do, and stays as it is", async () => {
    const folder = folderOf({ format: 2 });
    await expect(openPersistence(folder)).rejects.toThrow(
      `DATA_DIR=${folder} was written by a newer release, in format 2. This release knows formats up to 1. Start the newer release, or name another folder`,
    );
    expect(noteIn(folder)).toEqual({ format: 2 });
  });
});
