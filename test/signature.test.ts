/** Our signatures against those of `aws4`, which signs everything; and that a signer's key follows day and secret. */
import aws4 from "aws4";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Credentials, createSigner } from "#shared/platform/signature.ts";

const headers = { "content-type": "application/x-amz-json-1.0", host: "dynamodb.eu-west-1.amazonaws.com" };

/** What `aws4` makes of the same request; it would sign the length too, which we leave to the HTTP client. */
function reference(
  service: string,
  signed: Record<string, string>,
  body: string,
  credentials: Credentials,
): unknown {
  const { authorization: _, "x-amz-date": time, ...rest } = signed;
  const request = {
    service,
    region: "eu-west-1",
    method: "POST",
    path: "/",
    headers: { ...rest, "X-Amz-Date": time },
    body,
    extraHeadersToIgnore: { "content-length": true },
  };
  return aws4.sign(request, credentials).headers?.["Authorization"];
}

const secrets = fc.string({ minLength: 1, maxLength: 100 });
const credentials = fc.record(
  {
    accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,20}$/),
    secretAccessKey: secrets,
    sessionToken: fc.base64String({ minLength: 4 }),
  },
  { requiredKeys: ["accessKeyId", "secretAccessKey"] },
);

test("signs as aws4 does, whatever the body, the day and the credentials, with one signer for all", () => {
  const sign = createSigner("eu-west-1", "dynamodb");
  const times = fc.date({ min: new Date("2020-01-01"), max: new Date("2060-01-01"), noInvalidDate: true });
  const bodies = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(
      credentials,
      bodies,
      times,
      fc.constantFrom("GetItem", "PutItem"),
      (owner, body, at, action) => {
        const signed = sign({ ...headers, "x-amz-target": `DynamoDB_20120810.${action}` }, body, owner, at);
        expect(signed["authorization"]).toBe(reference("dynamodb", signed, body, owner));
      },
    ),
    { seed: 20261121, numRuns: 200 },
  );
});

test("a new day and a new secret sign with a new key", () => {
  const sign = createSigner("eu-west-1", "sqs");
  const owner = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "first" };
  const evening = new Date("2026-11-21T23:59:59Z");
  for (const [who, at] of [
    [owner, evening],
    [owner, new Date(evening.getTime() + 1000)],
    [{ ...owner, secretAccessKey: "second" }, evening],
  ] as const) {
    const signed = sign(headers, "{}", who, at);
    expect(signed["authorization"]).toBe(reference("sqs", signed, "{}", who));
  }
});
