/** Threads of functions that are seldom invoked (infra/local/emulators/seldom.ts). */
import { expect, test } from "vitest";
import type { LocalFunction } from "#infra/local/emulators/lambda.ts";
import { isSeldom, startWhenInvoked } from "#infra/local/emulators/seldom.ts";
import { queueUrlOf } from "#infra/local/stack/template.ts";

const longMs = 60_000;

/** Starts of a function that gives back what it is invoked with; and its ends. */
function counted(failures = 0) {
  const seen = { starts: 0, stopped: [] as number[] };
  const ended = Promise.withResolvers<void>();
  const start = async (): Promise<LocalFunction> => {
    seen.starts += 1;
    if (seen.starts <= failures) throw new Error("its bundle does not load");
    return {
      invoke: async (event) => await event,
      listen: () => Promise.reject(new Error("it has no URL")),
      renew: async () => {},
      stop: async (graceMs) => {
        seen.stopped.push(graceMs);
        ended.resolve();
      },
    };
  };
  return { seen, start, ended: ended.promise };
}

test("starts with the first invocation, and stays for the next", async () => {
  const { seen, start } = counted();
  const local = startWhenInvoked(start, longMs);
  expect(seen.starts).toBe(0);
  expect(await Promise.all([local.invoke("a"), local.invoke("b")])).toEqual(["a", "b"]);
  expect(await local.invoke("c")).toBe("c");
  await local.stop(7);
  expect(seen).toEqual({ starts: 1, stopped: [7] });
});

test("ends when nobody has invoked it for a while, and starts anew", async () => {
  const { seen, start, ended } = counted();
  const local = startWhenInvoked(start, 0);
  await local.invoke("a");
  await ended;
  expect(await local.invoke("b")).toBe("b");
  expect(seen.starts).toBe(2);
  await local.stop(0);
});

test("stays while an invocation runs", async () => {
  const { seen, start, ended } = counted();
  const local = startWhenInvoked(start, 0);
  const { promise, resolve } = Promise.withResolvers<string>();
  const long = local.invoke(promise);
  await local.invoke("short");
  await new Promise((later) => setTimeout(later, 1));
  expect(seen.stopped).toEqual([]);
  resolve("long");
  expect(await long).toBe("long");
  await ended;
  expect(seen).toEqual({ starts: 1, stopped: [0] });
});

test("is renewed: what runs ends where it began, and the next invocation starts anew", async () => {
  const { seen, start } = counted();
  const local = startWhenInvoked(start, longMs);
  const { promise, resolve } = Promise.withResolvers<string>();
  const long = local.invoke(promise);
  await local.renew();
  expect(await local.invoke("next")).toBe("next");
  expect(seen).toEqual({ starts: 2, stopped: [900_000] });
  resolve("long");
  expect(await long).toBe("long");
  await local.stop(0);
});

test("a start that fails rejects its invocation, and the next one tries again", async () => {
  const { seen, start } = counted(1);
  const local = startWhenInvoked(start, longMs);
  await expect(local.invoke("a")).rejects.toThrow("its bundle does not load");
  expect(await local.invoke("b")).toBe("b");
  await local.stop(0);
  expect(seen.starts).toBe(2);
});

test("that was never invoked has nothing to end", async () => {
  const { seen, start } = counted();
  await startWhenInvoked(start, longMs).stop(0);
  expect(seen).toEqual({ starts: 0, stopped: [] });
});

test.each([
  ["Gateway", true, false],
  ["Settle", false, false],
  ["Learner", false, true],
  ["Sweep", false, true],
])("the function %s, with a URL: %s, is seldom invoked: %s", (name, hasUrl, seldom) => {
  const sources = [
    { functionName: "Settle", queueName: "Usage" },
    { functionName: "Learner", queueName: "Lessons" },
  ];
  expect(isSeldom({ name, hasUrl }, sources, queueUrlOf("Usage"))).toBe(seldom);
});
