/** Which undici serves: the one that Node carries, and the package only where that cannot be used. */
import { afterEach, expect, test, vi } from "vitest";
import { httpClientNames, httpClients } from "#test/support/http-clients.ts";

afterEach(() => {
  vi.doUnmock("undici");
  vi.resetModules();
});

test.each(httpClientNames)("%s", async (name) => {
  vi.resetModules();
  const opened = vi.fn();
  class Agent {
    constructor() {
      opened();
    }
    dispatch(_: object, call: { onError(error: Error): void }) {
      call.onError(new Error("the package"));
    }
  }
  vi.doMock("undici", () => ({ default: { Agent } }));
  const { send } = await httpClients[name]();
  const bounds = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 };
  const call = send({ method: "POST", url: "http://127.0.0.1:1/", headers: {}, body: "", ...bounds });
  await expect(call).rejects.toMatchObject({ name: "TransportError", phase: "connect" });
  expect(opened).toHaveBeenCalledTimes(name === "the package" ? 1 : 0);
});

test("this Node carries the undici that is tested", () => {
  expect(process.versions.undici).toMatch(/^7\./);
});
