/** An attempt to deliver, over real sockets: where it may go, how long it waits, and how much it reads. */
import type { lookup } from "node:dns";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { TransportError } from "#shared/base/platform/http-call.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import type { AuditEntry } from "#shared/people/identity/audit.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { attempt } from "#shared/people/news/send.ts";
import { newSecret } from "#shared/people/news/signature.ts";
import { readWebhookUrl, type Webhook } from "#shared/people/news/webhook.ts";

const keys = keysOf(readPeppers("a secret of accounts"));
const line: AuditEntry = {
  ...{ id: "aud_1", organization: "org_1", at: 0, actor: "usr_1", actor_name: "Ann", credential: "ses_1" },
  ...{ ip: "203.0.113.7", forwarded_for: "10.0.0.1", kind: "key_created", subject: "key_1" },
  ...{ before: null, after: { name: "search" } },
};

const ends: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
});

/** A receiver on this machine, and how often it was asked. */
async function receiver(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

function webhook(url: string): Webhook {
  const { sealed } = newSecret("whk_1", keys);
  return {
    ...{ id: "whk_1", url, kinds: null, disabled: null, since: 0, created_at: 0 },
    ...{ secrets: [sealed], failing_since: null },
  };
}

type Options = { localHosts?: string[]; resolve?: typeof lookup };
const attemptAt = (url: string, { localHosts = ["127.0.0.1"], resolve }: Options = {}) =>
  attempt(webhook(url), line, {
    ...{ send, keys: async () => keys, localHosts, now: Date.now },
    ...(resolve && { resolve }),
  });

test("a message arrives, signed, without the address and the session of who did it", async () => {
  let got: { headers: NodeJS.Dict<string | string[]>; body: string } | undefined;
  const { port } = await receiver((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += String(piece);
    });
    request.on("end", () => {
      got = { headers: request.headers, body };
      response.writeHead(204).end();
    });
  });
  const last = await attemptAt(`http://127.0.0.1:${port}/hooks`);
  expect(last).toMatchObject({ status: 204, failure: null });
  expect(got?.headers).toMatchObject({ "webhook-id": "aud_1", "content-type": "application/json" });
  expect(JSON.parse(got?.body ?? "")).toEqual({
    type: "key_created",
    timestamp: "1970-01-01T00:00:00.000Z",
    data: {
      ...{ id: "aud_1", organization_id: "org_1", subject: "key_1", actor: { id: "usr_1", name: "Ann" } },
      ...{ before: null, after: { name: "search" } },
    },
  });
  expect(got?.body).not.toMatch(/203\.0\.113|10\.0\.0\.1|ses_1/);
});

test.each([301, 302, 307, 308])("a redirect by %i is a failure, and nobody follows it", async (status) => {
  const inner = await receiver((_, response) => response.writeHead(200).end());
  const outer = await receiver((_, response) =>
    response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/secret` }).end(),
  );
  expect(await attemptAt(`http://127.0.0.1:${outer.port}/`)).toMatchObject({ status, failure: "status" });
  expect(inner.asked).toEqual([]);
});

test("a name that leads to this machine is refused after DNS, and nothing arrives there", async () => {
  const { port, asked } = await receiver((_, response) => response.writeHead(200).end());
  const options = { localHosts: [] };
  expect(await attemptAt(`http://localhost:${port}/`, options)).toMatchObject({
    status: null,
    failure: "closed_address",
  });
  expect(await attemptAt(`http://127.0.0.1:${port}/`, options)).toMatchObject({ failure: "closed_address" });
  expect(asked).toEqual([]);
});

test("a name that DNS binds anew after the webhook was made is refused at the attempt", async () => {
  const { port, asked } = await receiver((_, response) => response.writeHead(200).end());
  const url = readWebhookUrl("https://hooks.example.com:8443/x", []);
  const resolve = ((_: string, __: object, callback: (error: null, found: object) => void) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as typeof lookup;
  const bound = url.replace("8443", String(port)).replace("https", "http");
  expect(await attemptAt(bound, { localHosts: [], resolve })).toMatchObject({ failure: "closed_address" });
  expect(asked).toEqual([]);
});

test("a receiver that answers without end is left after its status", async () => {
  let written = 0;
  const isGone = Promise.withResolvers<void>();
  const { port } = await receiver((_, response) => {
    response.on("close", isGone.resolve);
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
      response.once("drain", more);
    };
    more();
  });
  expect(await attemptAt(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, failure: null });
  await isGone.promise;
  expect(written).toBeLessThan(16 * 1024 * 1024);
});

test("a receiver that says nothing is left after eight seconds", async () => {
  const isAsked = Promise.withResolvers<void>();
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => isAsked.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const late = new AbortController();
  timeout.mockReturnValue(late.signal);
  const attempted = attemptAt(`http://127.0.0.1:${port}/`);
  await isAsked.promise;
  expect(timeout).toHaveBeenCalledWith(8_000);
  late.abort(new Error("too slow"));
  expect(await attempted).toMatchObject({ status: null, failure: "no_answer" });
  timeout.mockRestore();
});

test("a failure says its kind, and nothing of what the receiver or the network said", async () => {
  const { port } = await receiver((_, response) =>
    response.writeHead(500, { "x-secret": "s3cret" }).end("s3cret"),
  );
  const failed = await attemptAt(`http://127.0.0.1:${port}/`);
  expect(failed).toEqual({ at: expect.any(Number), status: 500, failure: "status", ms: expect.any(Number) });
  const closed = await attemptAt("http://127.0.0.1:1/");
  expect(closed).toEqual({
    at: expect.any(Number),
    status: null,
    failure: "no_connection",
    ms: expect.any(Number),
  });
});

test.each([
  ["http://example.com/", "begins with https"],
  ["ftp://example.com/", "begins with https"],
  ["file:///etc/passwd", "begins with https"],
  ["https://user:pass@example.com/", "without a user"],
  ["https://user@example.com/", "without a user"],
  ["https://example.com:22/", "one of the ports 443, 8443"],
  ["https://example.com/#x", "without a fragment"],
  ["https://127.0.0.1/", "public address"],
  ["https://0x7f000001/", "public address"],
  ["https://[::1]/", "public address"],
  ["https://169.254.169.254/latest/meta-data", "public address"],
  ["not a url", "such as https"],
  [`https://example.com/${"x".repeat(500)}`, "at most 500"],
])("%s is no URL of a webhook", (url, why) => {
  expect(() => readWebhookUrl(url, [])).toThrow(why);
});

test("a URL is kept in one spelling", () => {
  expect(readWebhookUrl("HTTPS://Example.com:443/a b", [])).toBe("https://example.com/a%20b");
});

test.each([
  ["EMFILE", "our_fault"],
  ["ENETDOWN", "our_fault"],
  ["ECONNREFUSED", "no_connection"],
  ["ENOTFOUND", "no_connection"],
])(
  "a connection that fails by %s is %s: what this machine lacks is no fault of the receiver",
  async (code, failure) => {
    const failing = async () => {
      throw new TransportError("connect", Object.assign(new Error(code), { code }));
    };
    const deps = { send: failing, keys: async () => keys, localHosts: [], now: Date.now };
    expect((await attempt(webhook("https://hooks.example.com/"), line, deps)).failure).toBe(failure);
  },
);
