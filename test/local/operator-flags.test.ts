/** What the operator does not take, before it reaches any stage. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const entry = join(import.meta.dirname, "../../infra/operator/main.ts");

/** What a refused command line is told; the process has an address for AWS where nobody is. */
function refusal(...words: string[]): Promise<string> {
  const nowhere = { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_REGION: "us-east-1" };
  const env = {
    PATH: process.env["PATH"],
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    ...nowhere,
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [entry, ...words], { env }, (error, _, complaint) => {
      if (error?.code === 2) resolve(complaint.trim());
      else reject(new Error(`exit ${error?.code ?? 0}: ${complaint}`));
    });
  });
}

test("a flag of another command, which would make no narrower what it seems to", async () => {
  expect(await refusal("sweep", "--org", "org_1", "--older-than", "0")).toBe("sweep takes no --org");
  expect(await refusal("org", "show", "org_1", "--points", "1", "--at", "now")).toBe(
    "org show takes no --points, no --at",
  );
});

test("a mistyped command or flag is told the nearest, and a surplus word the command's form", async () => {
  expect(await refusal("org", "craete", "--name", "N")).toBe(
    "there is no command org craete; did you mean org create? --help lists them all.",
  );
  expect(await refusal("org", "frobnicate")).toContain(
    "there is no command org frobnicate. It has: org create, ",
  );
  expect(await refusal("adit")).toContain("did you mean audit?");
  expect(await refusal("frobnicate", "all")).toBe("there is no command frobnicate. --help lists them all.");
  expect(await refusal("org", "create", "--nmae", "N")).toBe(
    "there is no flag --nmae; did you mean --name? --help lists them all.",
  );
  expect(await refusal("org", "show", "org_1", "org_2")).toBe(
    "org show takes no org_2; its form is: org show ID",
  );
}, 30_000);

test("a file that is not there", async () => {
  expect(await refusal("catalog", "check", "/nowhere/catalog.json")).toBe(
    "there is no file /nowhere/catalog.json",
  );
});

test("two places, or a local one that is not said to be local", async () => {
  expect(await refusal("--local", "--stage", "prod", "redrive")).toBe("give either --local or --stage");
  expect(await refusal("--ready-file", "ready.json", "redrive")).toBe("--ready-file goes with --local");
});

test("every flag that a synopsis names goes through, to a stage that is not there", async () => {
  const calls = [
    "org create --name N --plan pro --period yearly --points 1",
    "org plan org_1 --plan pro --period monthly",
    "key create --org org_1 --mode payg --name N --project P --manage-keys --rpm 1 --tpm 1 --tpd 1 --max-concurrency 1",
    "task list --expired",
    "task resolve VTK-1 --succeeded --seconds 5",
    "ledger export --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --org org_1 --format csv",
  ];
  for (const call of calls)
    expect(await refusal(...call.split(" "), "--json")).toContain("model-gateway-prod in");
}, 30_000);
