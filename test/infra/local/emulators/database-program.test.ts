/** On a platform that the lock file has no database for, npm gets it once; it is checked, and kept. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { databaseProgram, type Hashes, knownHashes } from "#infra/local/emulators/database-program.ts";
import { hiddenPlace } from "#infra/local/emulators/dynamodb.ts";
import { type Registry, startRegistry } from "#test/infra/local/emulators/registry.ts";

const root = join(import.meta.dirname, "../../../..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Record<string, { version: string; integrity: string }>;
};
const { version = "", integrity } = lock.packages["node_modules/@dynoxide/linux-x64"] ?? {};

const platform = "plan9-mips";
const spec = `@dynoxide/${platform}@${version}`;

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry(`@dynoxide/${platform}`, version, "#!/bin/sh\necho the program of $1\n");
});
afterAll(() => registry.stop());

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "database-"));
  vi.stubEnv("npm_config_registry", registry.url);
  vi.stubEnv("npm_config_cache", join(folder, "npm"));
  vi.stubEnv("npm_config_fetch_retries", "0");
});
afterEach(() => {
  vi.unstubAllEnvs();
  registry.breakOff(false);
  rmSync(folder, { recursive: true });
});

const place = () => join(folder, "kept");
/** Asks for the program, and gives what was said too. */
async function ask(hash: string | null, hashes: Hashes = { [spec]: hash }) {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const program = await databaseProgram(say, { platform, hashes, folder: place() });
  return { program, said };
}
const answerOf = (program: string) => execFileSync(program, [platform], { encoding: "utf8" });
/** What is kept, but for the cache of npm. */
const kept = () => (existsSync(place()) ? readdirSync(place()).sort() : []);

test("the hash of Linux x64 is that of the lock file, and every platform has the lock file's version", () => {
  expect(knownHashes[`@dynoxide/linux-x64@${version}`]).toBe(integrity);
  expect(Object.keys(knownHashes)).toEqual(
    ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"].map((each) => `@dynoxide/${each}@${version}`),
  );
});

test("where the lock file's package fits, npm is not asked", async () => {
  const said: string[] = [];
  const program = await databaseProgram((line) => void said.push(line), {
    ...{ platform: "linux-x64", hashes: {}, folder: place() },
  });
  expect(program).toMatch(/node_modules\/@dynoxide\/linux-x64\/dynoxide$/);
  expect([said, kept()]).toEqual([[], []]);
});

test("a package with the right hash is fetched once, and works offline from then on", async () => {
  const before = registry.sent();
  const first = await ask(registry.hash);
  expect(first.said).toEqual([`Getting the database for ${platform} by npm, this once: ${spec}`]);
  expect(answerOf(first.program)).toBe(`the program of ${platform}\n`);
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:1");
  expect(await ask(registry.hash)).toEqual({ program: first.program, said: [] });
  expect(registry.sent() - before).toBe(1);
  expect(kept()).toEqual([`${platform}-${version}`]);
});

test("two starts at once both have it", async () => {
  const [first, second] = await Promise.all([ask(registry.hash), ask(registry.hash)]);
  expect(first.program).toBe(second.program);
  expect(answerOf(first.program)).toBe(`the program of ${platform}\n`);
  expect(kept()).toEqual([`${platform}-${version}`]);
});

test("a hash that nobody has noted is remembered, and one line says so", async () => {
  const { said } = await ask(null);
  expect(said).toEqual([expect.stringMatching(/this once: .*\. Nobody has noted its hash yet/)]);
  const seen = JSON.parse(readFileSync(join(place(), "hashes.json"), "utf8"));
  expect(seen).toEqual({ [spec]: registry.hash });
});

describe("nothing is kept", () => {
  test("of a package with another hash than the repository's", async () => {
    await expect(ask("sha512-other")).rejects.toThrow(
      `${spec} came with the hash ${registry.hash}, and this repository says sha512-other. It was not kept`,
    );
    expect(kept()).toEqual([]);
  });

  test("of a package with another hash than the first one", async () => {
    const { program } = await ask(null);
    rmSync(join(program, ".."), { recursive: true });
    const other = await startRegistry(`@dynoxide/${platform}`, version, "#!/bin/sh\necho another\n");
    vi.stubEnv("npm_config_registry", other.url);
    vi.stubEnv("npm_config_cache", join(folder, "npm-2"));
    await expect(ask(null)).rejects.toThrow(`hashes.json says ${registry.hash}. It was not kept`);
    expect(kept()).toEqual(["hashes.json"]);
    await other.stop();
  });

  test("of half a download, and the next start gets the whole", async () => {
    registry.breakOff(true);
    await expect(ask(registry.hash)).rejects.toThrow(`npm cannot get ${spec}: `);
    expect(kept()).toEqual([]);
    registry.breakOff(false);
    expect(answerOf((await ask(registry.hash)).program)).toBe(`the program of ${platform}\n`);
  });

  test("without a network, and the error says what else to do", async () => {
    vi.stubEnv("npm_config_registry", "http://127.0.0.1:1");
    const failed = await ask(registry.hash).catch((error: Error) => error.message);
    expect(failed).toContain(`npm cannot get ${spec}: `);
    expect(failed).toContain("ECONNREFUSED");
    expect(failed).toContain("give its address in DYNAMODB_ENDPOINT");
    expect(kept()).toEqual([]);
  });

  test("where the registry does not have it", async () => {
    vi.stubEnv("npm_config_registry", `${registry.url}/nowhere`);
    await expect(ask(registry.hash)).rejects.toThrow(/npm cannot get .*404/);
  });

  test("for a platform that has none, npm is not asked", async () => {
    await expect(ask(null, {})).rejects.toThrow(`there is no embedded DynamoDB for ${platform}. Run another`);
  });
});

test("Windows is told of WSL", async () => {
  const asked = databaseProgram(() => {}, { platform: "win32-x64", hashes: knownHashes, folder: place() });
  await expect(asked).rejects.toThrow(
    "there is no embedded DynamoDB for win32-x64: on Windows this runs within WSL",
  );
});

test("the database hides at an address of loopback on Linux, and has the common one elsewhere", async () => {
  expect((await hiddenPlace("linux")).host).not.toBe("127.0.0.1");
  expect((await hiddenPlace("darwin")).host).toBe("127.0.0.1");
});
