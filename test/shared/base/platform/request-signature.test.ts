/** Signatures of requests to Bedrock and others, held against AWS's own signer. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRequestSigner } from "#shared/base/platform/request-signature.ts";
import { awsSigned } from "#test/support/aws-signed.ts";

const [requests, requestsARun] = [10_000, 4];

const word = fc.stringMatching(/^[A-Za-z0-9/+=_.-]{1,60}$/);
const credentials = fc.record(
  { accessKeyId: word, secretAccessKey: word, sessionToken: word },
  { requiredKeys: ["accessKeyId", "secretAccessKey"] },
);
const instant = fc.integer({ min: 0, max: Date.UTC(2099, 11, 31) });
const part = fc.oneof(
  fc.stringMatching(/^[\w.~!'()*:;,@&=+$ -]{1,40}$/),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    "anthropic.claude-opus-4-8-v1:0",
    "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
  ),
);
/** AWS's signer keeps a query in an object, which cannot have this name. */
const parameter = part.filter((name) => name !== "__proto__");
const anyRequest = fc.record({
  method: fc.constantFrom("POST", "GET", "PUT", "DELETE"),
  path: fc.array(part, { minLength: 1, maxLength: 4 }),
  query: fc.array(fc.tuple(parameter, fc.string({ maxLength: 12 })), { maxLength: 4 }),
  headers: fc.dictionary(
    fc.stringMatching(/^x-amzn?-[a-z]{1,12}$/),
    fc.stringMatching(/^[!-~](?:[ -~]{0,30}[!-~])?$/),
    { maxKeys: 3 },
  ),
  body: fc.oneof(fc.json(), fc.string({ unit: "grapheme" }), fc.uint8Array({ maxLength: 64 })),
});
const scope = fc.record({
  service: fc.constantFrom("bedrock", "sts", "bedrock-mantle"),
  region: fc.constantFrom("us-east-1", "eu-central-1", "us-gov-west-1"),
});
const hosts = fc.constantFrom("https://bedrock-runtime.us-east-1.amazonaws.com", "http://127.0.0.1:8000");

test("of any request are those of AWS's own signer, whatever stands in path, query, headers and body", async () => {
  await fc.assert(
    fc.asyncProperty(
      scope,
      hosts,
      fc.array(fc.tuple(anyRequest, credentials, instant), {
        minLength: requestsARun,
        maxLength: requestsARun,
      }),
      async (place, host, calls) => {
        // One signer for all of them: nothing of a call may be left for the next.
        const sign = createRequestSigner(place);
        for (const [{ path, query, body, headers, method }, keys, at] of calls) {
          const search = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
          // A path of dots alone would be resolved by the address itself.
          const whole = path.map((each) => encodeURIComponent(each).replace(/^\.+$/, "dots")).join("/");
          const url = `${host}/${whole}${search && `?${search}`}`;
          const asked = { method, url, headers: { ...headers, "content-type": "application/json" } };
          const signed = sign({ ...asked, body: slicesOf(body) }, keys, at);
          expect(signed).toEqual(await awsSigned(place, { ...asked, body }, keys, at));
        }
      },
    ),
    { numRuns: requests / requestsARun },
  );
});

/** A body as it is sent: a text, bytes, or bytes in two slices. */
function slicesOf(body: string | Uint8Array): string | Uint8Array | Uint8Array[] {
  if (typeof body === "string" || body.length < 2) return body;
  return [body.subarray(0, 1), body.subarray(1)];
}
