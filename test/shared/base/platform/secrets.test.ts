/** The secrets in a function's memory: how old they get, and what a bad one does. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { describeError, type LogFields } from "#shared/base/platform/log.ts";
import { createSecrets } from "#shared/base/platform/secrets.ts";

/** A process whose clock, secret and Secrets Manager the test moves. */
function open(secret: string) {
  const place = { secret, at: 1_000_000, down: false, reads: 0, lines: [] as [string, LogFields][] };
  const aws = (async () => {
    place.reads += 1;
    if (place.down) throw new Error("no answer");
    return { SecretString: place.secret };
  }) as Aws;
  const log = (_: string, event: string, fields: LogFields = {}) => void place.lines.push([event, fields]);
  const secrets = createSecrets(aws, { providers: "arn:providers" }, log, () => place.at);
  const later = (seconds: number) => {
    place.at += seconds * 1000;
  };
  return Object.assign(place, { later, key: () => secrets.provider("ACME"), lacks: secrets.lacks });
}

const holding = (key: string) => JSON.stringify({ ACME: key });

describe("a new key", () => {
  test("serves a process that was frozen for longer than the cache lasts, with its first call", async () => {
    const process = open(holding("old"));
    expect(await process.key()).toBe("old");
    process.secret = holding("new");
    process.later(limits.secretCacheSeconds);
    expect(await process.key()).toBe("new");
  });

  test("reaches a busy process in time, and no call of it waits", async () => {
    const process = open(holding("old"));
    await process.key();
    process.secret = holding("new");
    process.later(limits.secretRefreshSeconds - 1);
    expect(await process.key()).toBe("old");
    process.later(1);
    expect(await process.key()).toBe("old");
    await turn();
    expect(await process.key()).toBe("new");
    expect(process.reads).toBe(2);
  });
});

test("a name that nobody has set is lacking, once the secret was read", async () => {
  const process = open(holding("old"));
  expect(process.lacks("BETA")).toBe(false);
  await process.key();
  expect([process.lacks("ACME"), process.lacks("BETA")]).toEqual([false, true]);
});

describe("the peppers", () => {
  /** The same over the pepper's secret. */
  function openPeppers() {
    const place = { secret: "first", at: 1_000_000, reads: 0 };
    const aws = (async () => {
      place.reads += 1;
      return { SecretString: place.secret };
    }) as unknown as Aws;
    const ids = { pepper: "arn:pepper", providers: "arn:providers" };
    const { peppers } = createSecrets(
      aws,
      ids,
      () => {},
      () => place.at,
    );
    return Object.assign(place, { peppers });
  }
  const second = '{"current":{"version":2,"pepper":"b"},"previous":{"version":1,"pepper":"first"}}';

  test("are read again where a copy does not do, and not more often than every ten seconds", async () => {
    const process = openPeppers();
    const stale = await process.peppers();
    expect(stale.current).toEqual({ version: 1, value: "first" });
    process.secret = second;
    process.reads = 0;
    expect((await process.peppers()).current.version).toBe(1);
    const [newer, same] = await Promise.all([process.peppers(stale), process.peppers(stale)]);
    expect([newer.current.version, same, process.reads]).toEqual([2, newer, 1]);
    // The copy in memory is another one by now.
    expect(await process.peppers(stale)).toBe(newer);
    expect(await process.peppers(newer)).toBe(newer);
    expect(process.reads).toBe(1);
    process.at += limits.secretRenewSeconds * 1000;
    expect(await process.peppers(newer)).not.toBe(newer);
    expect(process.reads).toBe(2);
  });
});

describe("a secret that cannot be read again", () => {
  test("serves on and says so, is not waited for by every call, and heals", async () => {
    const process = open(holding("old"));
    await process.key();
    process.down = true;
    process.later(limits.secretCacheSeconds);
    expect(await process.key()).toBe("old");
    expect(process.lines).toEqual([["secret_unreadable", { error: "Error: no answer" }]]);
    process.down = false;
    process.secret = holding("new");
    expect(await process.key()).toBe("old");
    await turn();
    expect(await process.key()).toBe("new");
  });

  test.each(['{"ACME": sk-live-4711}', '["sk-live-4711"]', "null", '"sk-live-4711"', ""])(
    "nor one that is no object: %s. No key is quoted",
    async (bad) => {
      const process = open(holding("old"));
      await process.key();
      process.secret = bad;
      process.later(limits.secretCacheSeconds);
      expect(await process.key()).toBe("old");
      expect(process.lines.map(([event]) => event)).toEqual(["secret_unreadable"]);
      expect(JSON.stringify(process.lines)).not.toContain("4711");
    },
  );
});

test("a first read that fails is an error that quotes no key, and is tried again", async () => {
  const process = open('{"ACME": sk-live-4711}');
  const error: unknown = await process.key().catch((thrown: unknown) => thrown);
  expect(describeError(error)).toBe("Error: the providers' secret is no JSON object of names and keys");
  process.secret = holding("new");
  expect(await process.key()).toBe("new");
});

test("a key is what stands between spaces; what is empty or no text is not set", async () => {
  expect(await open(holding(" sk-1\n")).key()).toBe("sk-1");
  for (const secret of [holding(" "), '{"ACME":1}', "{}"]) expect(await open(secret).key()).toBeUndefined();
});
