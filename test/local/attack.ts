/** What an outsider sends to the console of a local gateway, and whether anything that is kept has changed by it. */
import { request } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { pages } from "#shared/edges/store/dynamodb/items.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { startLocal } from "../support/local.ts";
import { openMembers } from "../support/members.ts";
import { consoleDocument, type Operation } from "../support/openapi.ts";

/** A request as it goes over the wire: its path is sent as it stands. */
interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

interface Answered {
  status: number;
  text: string;
  headers: NodeJS.Dict<string | string[]>;
}

export type Attacked = Awaited<ReturnType<typeof openAttack>>;

/** Starts a gateway with an organization to attack. */
export async function openAttack() {
  const gateway = await startLocal();
  const place = connectLocally(gateway.readyFile);
  const secret = readPeppers(await readSecret(place.aws, place.accountsSecretArn));
  const desk = openMembers(place, { secret });
  desk.clock.now = Date.now();
  const acme = await desk.newOrganization();
  const answer = async (sent: Sent) => await send(gateway.console_url, sent);
  // The demo account is made before the first answer.
  await answer({ method: "GET", path: "/api/v1/plans", headers: {} });

  /** The code of a request that must be refused in the form of these routes. */
  const refused = async (sent: Sent): Promise<number> => {
    const answered = await answer(sent);
    expect([sent.method, sent.path.slice(0, 99), answered.status >= 400 && answered.status < 500]).toEqual([
      sent.method,
      sent.path.slice(0, 99),
      true,
    ]);
    return expectStyle(answered);
  };

  /** Users, sessions, organizations and keys by their places: all that is kept but counts of calls and messages. */
  const kept = async (): Promise<Map<string, unknown>> => {
    const found = new Map<string, unknown>();
    for (const table of [place.tables.accounts, place.tables.keys])
      for await (const page of pages(place.aws, "Scan", { TableName: table, ConsistentRead: true }))
        for (const item of page) {
          const at = `${table} ${item.pk?.S} ${item.sk?.S}`;
          if (!item.pk?.S?.startsWith("Q#")) found.set(at, item);
        }
    return found;
  };

  /** Does something that must change nothing that is kept. */
  const unchanged = async <Done>(attack: () => Promise<Done>): Promise<Done> => {
    const before = await kept();
    const done = await attack();
    const after = await kept();
    const places = [...new Set([...before.keys(), ...after.keys()])];
    expect(places.filter((at) => !isDeepStrictEqual(before.get(at), after.get(at)))).toEqual([]);
    return done;
  };

  const operationOf = ({ method, path }: ConsoleRoute): Operation => {
    const found = consoleDocument.documented.find((each) => each.method === method && each.path === path);
    if (!found) throw new Error(`the document has no ${method} ${path}`);
    return found;
  };

  const stop = async () => await gateway.stop();
  return {
    place,
    desk,
    acme,
    keys: keysOf(secret).current,
    answer,
    refused,
    unchanged,
    expectStyle,
    operationOf,
    stop,
  };
}

/** Expects the form of contract §7.1 and §7.2, and gives the code. */
function expectStyle({ status, text, headers }: Answered): number {
  const { error, ...others } = JSON.parse(text) as { error: { type: string; code: number; message: string } };
  expect(others).toEqual({});
  expect(error).toMatchObject({ type: expect.any(String), message: expect.stringMatching(/\S/) });
  expect(Math.floor(error.code / 100), text).toBe(status);
  expect(headers["x-request-id"]).toMatch(/^req_/);
  return error.code;
}

async function send(url: string, { method, path, headers, body }: Sent): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return await new Promise((resolve, reject) => {
    const sending = request(
      { hostname, port, method, path, headers: { ...headers, ...length } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (data: string) => (text += data));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
        answer.on("error", reject);
      },
    );
    sending.on("error", reject);
    sending.end(body);
  });
}

interface WrongBody {
  /** Made of a body that would be good. */
  body: (example: Record<string, unknown>) => string | Buffer;
  headers?: Record<string, string>;
  code: number;
}

const text = (body: string | Buffer): WrongBody => ({ body: () => body, code: 40000 });
const whole = (headers: Record<string, string>, code: number): WrongBody => ({
  body: (example) => JSON.stringify(example),
  headers,
  code,
});

/** Bodies of the wrong form, by what they are. */
export const wrongBodies: [string, WrongBody][] = Object.entries({
  "cut off": text('{"'),
  "an array": text("[]"),
  "a text": text('"x"'),
  "the word null": text("null"),
  "a number without end": text("1e999"),
  "no UTF-8": text(Buffer.from([0x7b, 0xff, 0x7d])),
  "marked by its order of bytes": text("\ufeff{}"),
  "5,000 objects in each other": text(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`),
  "of a field that nobody knows": text('{"unknown":1}'),
  "of a field __proto__": text('{"__proto__":{"role":"owner"}}'),
  "of a field constructor": text('{"constructor":{"prototype":{}}}'),
  "of 1 MB": { body: () => JSON.stringify({ a: "x".repeat(1_000_000) }), code: 41300 },
  "of a field twice": {
    body: (example) => {
      const [name = ""] = Object.keys(example);
      return JSON.stringify(example).replace(/^\{/, `{"${name}":${JSON.stringify(example[name])},`);
    },
    code: 40000,
  },
  "of a field twice, once escaped": {
    body: (example) => {
      const [name = ""] = Object.keys(example);
      const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}`;
      return JSON.stringify(example).replace(/^\{/, `{"${escaped}":${JSON.stringify(example[name])},`);
    },
    code: 40000,
  },
  "a form": {
    ...text("phone=%2B8613800138000&code=123456"),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  },
  "JSON that says it is text": whole({ "content-type": "text/plain" }, 40000),
  "JSON that says it is XML": whole({ "content-type": "application/xml" }, 40000),
  "JSON that says it is a form of parts": whole({ "content-type": "multipart/form-data; boundary=x" }, 40000),
  "JSON that says it is compressed": whole({ "content-encoding": "compress" }, 41500),
});

/** JSON of values that few fields take, by what they are. */
export const fieldValues: Readonly<Record<string, string>> = {
  number: "1",
  negative: "-1",
  fraction: "0.1",
  "5,000 digits": `1${"0".repeat(5_000)}`,
  "without end": "1e999",
  true: "true",
  array: "[]",
  object: "{}",
  prototype: '{"__proto__":{"a":1}}',
  "arrays in each other": "[".repeat(90) + "]".repeat(90),
  "the byte 0": '"\\u0000"',
  "half a letter": '"\\ud800"',
  "40,000 letters": `"${"x".repeat(40_000)}"`,
  "wide digits": '"＋８６１３８００１３８０００"',
  "other digits": '"+٨٦١٣٨٠٠١٣٨٠٠٠"',
  "the name of a prototype": '"__proto__"',
  "turned around": '"\\u202e"',
  empty: '""',
  space: '"   "',
};

/** Ids that nobody has, as they stand in a path. */
export const ids = [
  "__proto__",
  "constructor",
  "%00",
  "%2e%2e",
  "%E2%80%AE",
  "a".repeat(6_000),
  "usr_%23",
  "x%2Fy",
  "%ff",
];

/** Values of a query that few parameters take. */
export const queryValues = [
  "__proto__",
  "-1",
  "1e9",
  "99999999999999999999",
  "%00",
  "%ff",
  "NaN",
  "%EF%BC%91",
  "2026-13-45T00:00:00Z",
  "%2B275760-09-13T00:00:00.001Z",
  "1&limit=2&limit=3",
];
