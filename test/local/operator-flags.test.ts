/** What the operator does before it reaches any stage: the process refuses, or asks for the stack where nobody is. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runHere } from "#test/support/streams.ts";

const entry = join(import.meta.dirname, "../../infra/operator/main.ts");
/** Credentials, and an address for AWS where nobody is. */
const nowhere = {
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_ENDPOINT_URL: "http://127.0.0.1:1",
  AWS_REGION: "us-east-1",
};

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the process says why it refuses on standard error, and ends with 2", async () => {
  const env = { PATH: process.env.PATH, ...nowhere };
  const refused = await new Promise((resolve) =>
    execFile(process.execPath, [entry, "org", "show", "org_1", "org_2"], { env }, (error, out, complaint) =>
      resolve([error?.code, out, complaint]),
    ),
  );
  expect(refused).toEqual([2, "", "org show takes no org_2; its form is: org show ID\n"]);
});

test.each([
  "org create --name N --plan pro --period yearly --points 1",
  "org plan org_1 --plan pro --period monthly",
  "key create --org org_1 --mode payg --name N --project P --manage-keys --rpm 1 --tpm 1 --tpd 1 --max-concurrency 1",
  "id give vs_1 --org org_1 --project P --provider openai --secret S",
  "task list --expired",
  "task resolve VTK-1 --succeeded --seconds 5",
  "ledger export --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --org org_1 --format csv",
])("goes to a stage that is not there: %s", async (line) => {
  for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
  const { code, out, error } = await runHere([...line.split(" "), "--json"]);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain("model-gateway-prod in us-east-1");
});
