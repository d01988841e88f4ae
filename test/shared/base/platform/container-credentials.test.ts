/** Credentials of a container's role: where they are asked for, and when again. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { containerCredentials } from "#shared/base/platform/container-credentials.ts";

const hour = 3_600_000;

/** An address that gives a new key with each answer, which counts for an hour. */
function source() {
  const asked: { url: string; authorization: string | null }[] = [];
  const state = { time: Date.UTC(2026, 10, 22), fails: false, asked };
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    asked.push({ url: String(url), authorization: new Headers(init?.headers).get("authorization") });
    if (state.fails) return new Response("{}", { status: 500 });
    return Response.json({
      AccessKeyId: `key-${asked.length}`,
      SecretAccessKey: "secret",
      Token: "token",
      Expiration: new Date(state.time + hour).toISOString(),
    });
  };
  return Object.assign(state, { deps: { now: () => state.time, fetch } });
}

const relative = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/1" };
const given = (id: number) => ({
  accessKeyId: `key-${id}`,
  secretAccessKey: "secret",
  sessionToken: "token",
});

/** Lets answers arrive that nobody waits for. */
const breathe = () => new Promise(setImmediate);

describe("the address", () => {
  test("is not asked where there is none", () => {
    expect(containerCredentials({}, source().deps)).toBe(undefined);
  });

  test("of ECS is on its own host", async () => {
    const { deps, asked } = source();
    expect(await containerCredentials(relative, deps)?.()).toEqual(given(1));
    expect(asked).toEqual([{ url: "http://169.254.170.2/v2/credentials/1", authorization: null }]);
  });

  test("of EKS gets the token of the file, as it is then", async () => {
    const folder = mkdtempSync(join(tmpdir(), "token-"));
    const file = join(folder, "token");
    const state = source();
    const ask = containerCredentials(
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.170.23/v1/credentials",
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
      },
      state.deps,
    );
    for (const token of ["one", "two"]) {
      writeFileSync(file, `${token}\n`);
      await ask?.();
      state.time += 2 * hour;
    }
    expect(state.asked.map(({ authorization }) => authorization)).toEqual(["one", "two"]);
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["http://[::1]:8080/c", true],
    ["https://credentials.test/c", true],
    ["http://credentials.test/c", false],
    ["http://169.254.169.254/c", false],
  ])("%s may be asked: %j", (url, may) => {
    const open = () => containerCredentials({ AWS_CONTAINER_CREDENTIALS_FULL_URI: url }, source().deps);
    if (may) expect(open()).toBeTypeOf("function");
    else expect(open).toThrow("over https only");
  });
});

describe("credentials", () => {
  test("are asked for once, however many ask at a time, until shortly before they end", async () => {
    const state = source();
    const ask = containerCredentials(relative, state.deps);
    expect(await Promise.all([ask?.(), ask?.(), ask?.()])).toEqual([given(1), given(1), given(1)]);
    state.time += hour - 301_000;
    expect(await ask?.()).toEqual(given(1));
    expect(state.asked).toHaveLength(1);
  });

  test("are renewed beside the calls, which nobody waits for", async () => {
    const state = source();
    const ask = containerCredentials(relative, state.deps);
    await ask?.();
    state.time += hour - 299_000;
    expect(await ask?.()).toEqual(given(1));
    await breathe();
    expect(await ask?.()).toEqual(given(2));
    expect(state.asked).toHaveLength(2);
  });

  test("serve until their end while they cannot be renewed, and not beyond it", async () => {
    const state = source();
    const ask = containerCredentials(relative, state.deps);
    await ask?.();
    state.fails = true;
    state.time += hour - 1_000;
    expect(await ask?.()).toEqual(given(1));
    await breathe();
    state.time += 1_000;
    await expect(ask?.()).rejects.toThrow("status 500");
    state.fails = false;
    expect(await ask?.()).toEqual(given(4));
  });

  test("that are not whole are none", async () => {
    const { deps } = source();
    const ask = containerCredentials(relative, {
      ...deps,
      fetch: async () => Response.json({ AccessKeyId: "a" }),
    });
    await expect(ask?.()).rejects.toThrow("not whole");
  });
});
