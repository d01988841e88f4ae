/** Signatures of requests to AWS, held header by header against the package `aws4` and against AWS's own signer. */
import aws4 from "aws4";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRequestSigner } from "#shared/base/platform/request-signature.ts";
import { createSigner } from "#shared/base/platform/signature.ts";
import { awsSigned } from "#test/support/aws-signed.ts";

const word = fc.stringMatching(/^[A-Za-z0-9/+=_.-]{1,60}$/);
const credentials = fc.record(
  { accessKeyId: word, secretAccessKey: word, sessionToken: word },
  { requiredKeys: ["accessKeyId", "secretAccessKey"] },
);
const endpoint = fc.record({
  service: fc.constantFrom("dynamodb", "sqs", "secretsmanager", "states"),
  region: fc.constantFrom("us-east-1", "eu-central-1", "cn-north-1"),
  host: fc.constantFrom("dynamodb.us-east-1.amazonaws.com", "127.0.0.1:8000"),
  content_type: fc.constantFrom("application/x-amz-json-1.0", "application/x-amz-json-1.1"),
});
const request = fc.record({
  target: fc.constantFrom("DynamoDB_20120810.UpdateItem", "AmazonSQS.SendMessage"),
  body: fc.oneof(fc.json(), fc.string({ unit: "grapheme", minLength: 1 })),
});
type Endpoint = Parameters<typeof createSigner>[0];
const instant = fc.integer({ min: 0, max: Date.UTC(2099, 11, 31) });

/** `aws4`'s headers, with names in lower case. */
function oracle(
  { content_type, ...rest }: Endpoint,
  asked: { target: string; body: string },
  keys: object,
  at: number,
) {
  const date = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const headers = { "content-type": content_type, "x-amz-target": asked.target, "X-Amz-Date": date };
  const signed =
    aws4.sign({ ...rest, body: asked.body, method: "POST", path: "/", headers }, keys).headers ?? {};
  return Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

test("are the same for any request, at any time, with any credentials", () => {
  const call = fc.tuple(request, credentials, instant);
  fc.assert(
    fc.property(endpoint, fc.array(call, { minLength: 1, maxLength: 4 }), (place, calls) => {
      // One signer for all of them: nothing of a call may be left for the next.
      const sign = createSigner(place);
      for (const [asked, keys, at] of calls) {
        const headers = sign({ target: asked.target, body: Buffer.from(asked.body) }, keys, at);
        expect(headers).toEqual(oracle(place, asked, keys, at));
      }
    }),
    { numRuns: 300 },
  );
});

test("follow credentials and days that change", () => {
  const sign = createSigner({ service: "sqs", region: "us-east-1", host: "h", content_type: "t" });
  const asked = { target: "AmazonSQS.SendMessage", body: Buffer.from("{}") };
  const signatures = ["a", "b"].flatMap((secretAccessKey) =>
    [0, 86_400_000].map((at) => sign(asked, { accessKeyId: "id", secretAccessKey }, at).authorization),
  );
  expect(new Set(signatures).size).toBe(4);
});

const part = fc.oneof(
  fc.stringMatching(/^[\w.~!'()*:;,@&=+$ -]{1,40}$/),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    "anthropic.claude-opus-4-8-v1:0",
    "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
  ),
);
const anyRequest = fc.record({
  method: fc.constantFrom("POST", "GET", "PUT", "DELETE"),
  path: fc.array(part, { minLength: 1, maxLength: 4 }),
  query: fc.array(fc.tuple(part, fc.string({ maxLength: 12 })), { maxLength: 4 }),
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
      fc.array(fc.tuple(anyRequest, credentials, instant), { minLength: 1, maxLength: 4 }),
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
    { numRuns: 1_000 },
  );
});

/** A body as it is sent: a text, bytes, or bytes in two slices. */
function slicesOf(body: string | Uint8Array): string | Uint8Array | Uint8Array[] {
  if (typeof body === "string" || body.length < 2) return body;
  return [body.subarray(0, 1), body.subarray(1)];
}
