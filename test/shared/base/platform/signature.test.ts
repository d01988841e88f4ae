/** Signatures of the gateway's own requests to AWS, held header by header against the package `aws4`. */
import aws4 from "aws4";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSigner } from "#shared/base/platform/signature.ts";

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
