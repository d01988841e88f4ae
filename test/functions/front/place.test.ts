/** Where a server listens by its environment (functions/front/place.ts). */
import { expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { placeOf } from "../../../functions/front/place.ts";

const { serverGraceMs, webFunctionGraceMs } = limits;

test.each([
  [{ PORT: "8080" }, { host: undefined, port: 8080, graceMs: serverGraceMs }],
  [
    { PORT: "0", HOST: "127.0.0.1" },
    { host: "127.0.0.1", port: 0, graceMs: serverGraceMs },
  ],
  [
    { PORT: "8080", GRACE_SECONDS: "600" },
    { host: undefined, port: 8080, graceMs: 600_000 },
  ],
  [
    { PORT: "8080", KEEP_ALIVE_SECONDS: "310" },
    { host: undefined, port: 8080, graceMs: serverGraceMs, keepAliveMs: 310_000 },
  ],
  [
    { PORT: "8080", PROXIES: "1" },
    { host: undefined, port: 8080, graceMs: serverGraceMs, proxies: 1 },
  ],
  [
    { AWS_LAMBDA_HTTP_ENDPOINT: "0.0.0.0:3000", PORT: "1" },
    { host: "0.0.0.0", port: 3000, graceMs: webFunctionGraceMs },
  ],
  [
    { AWS_LAMBDA_HTTP_ENDPOINT: "[::]:3000", GRACE_SECONDS: "0" },
    { host: "::", port: 3000, graceMs: 0 },
  ],
])("%j", (env, place) => {
  expect(placeOf(env)).toEqual(place);
});

test.each([
  [{}, "neither AWS_LAMBDA_HTTP_ENDPOINT nor PORT"],
  [{ PORT: "http" }, "PORT=http names no port"],
  [{ PORT: "65536" }, "PORT=65536 names no port"],
  [{ PORT: "-1" }, "PORT=-1 names no port"],
  [{ AWS_LAMBDA_HTTP_ENDPOINT: "3000" }, "AWS_LAMBDA_HTTP_ENDPOINT=3000 names no port"],
  [{ AWS_LAMBDA_HTTP_ENDPOINT: "::3000" }, "AWS_LAMBDA_HTTP_ENDPOINT=::3000 names no port"],
  [{ PORT: "80", PROXIES: "-1" }, "PROXIES=-1 is not a number from 0 to 9"],
  [{ PORT: "80", PROXIES: "one" }, "PROXIES=one is not a number"],
  [{ PORT: "80", GRACE_SECONDS: "1.5" }, "GRACE_SECONDS=1.5 is not a number"],
])("%j is refused", (env, message) => {
  expect(() => placeOf(env)).toThrow(message);
});
