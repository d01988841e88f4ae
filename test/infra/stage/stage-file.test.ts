/** The files of the stages' settings: what they say, and what is refused. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { fronts } from "#infra/stage/stage.ts";
import { catalogOfStage, readStageFile } from "#infra/stage/stage-file.ts";
import { limits } from "#shared/base/limits.ts";

const folder = mkdtempSync(join(tmpdir(), "stage-file-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const domain = { name: "api.example.com", hostedZone: { id: "Z0123456789ABC", name: "example.com" } };

/** What is read from a file with this content. */
function read(content: unknown) {
  writeFileSync(
    join(folder, "eu-1.json"),
    typeof content === "string" ? content : JSON.stringify(content, null, 2),
  );
  return readStageFile("eu-1", folder);
}

it.each(["dev", "prod"])("of %s is there, and names its catalog", (stage) => {
  expect(readStageFile(stage).catalog).toBe(defaultCatalog);
});

it("may say nothing, or everything", () => {
  expect(read({})).toEqual({});
  const settings = {
    ...{ alarmEmail: "ops@example.com", gatewayConcurrency: 900, settleConcurrency: 40 },
    ...{ front: "both", taskLifetimeSeconds: 60 },
    domain,
    tags: { "cost center": "4711", Größe: "" },
    secrets: {
      pepper: "arn:aws-cn:secretsmanager:cn-north-1:123456789012:secret:old/pepper-a1B2c3",
      providers: "old/providers",
      accounts: "old/accounts",
      platforms: "team/platforms",
    },
    tables: {
      ...{ keys: "my-keys", counters: "my_counters", ledger: "my.ledger", tasks: "Tasks2" },
      accounts: "my-accounts",
    },
    console: {
      ...{ enabled: true, registration: "closed", countries: ["+86", "+1"], smsPerDay: 10, sendsByAws: true },
      ...{ mailFrom: "codes@example.com", mailsPerDay: 20 },
      ...{ notifyBase: "https://pay.example.com/model", concurrency: 5 },
      tax: { EUR: { name: "VAT", rate: "19.5", reverse_charge_except: ["DE"] } },
    },
    operators: [
      "arn:aws:iam::123456789012:user/ops",
      "arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Ops_0/ops@example.com",
    ],
    cloudTrail: false,
    telemetry: {
      endpoint: "https://otlp.example.com:4318/base",
      sample: 0.5,
      sampler: "traceidratio",
      metrics: false,
    },
  };
  expect(read({ $schema: "./schema.json", catalog: "../c.json", ...settings })).toMatchObject({
    ...settings,
    catalog: join(folder, "../c.json"),
  });
});

it("has the bounds and the names that the stage has", () => {
  for (const front of fronts) expect(read({ front })).toEqual({ front });
  const most = limits.taskLifetimeSeconds;
  expect(read({ taskLifetimeSeconds: most })).toEqual({ taskLifetimeSeconds: most });
  expect(() => read({ taskLifetimeSeconds: most + 1 })).toThrow("must be <= 86400");
});

it.each<[unknown, string]>([
  [{ console: false }, "console is false, and must be object. Expected: The console, where customers"],
  [
    { console: { registraton: "open" } },
    'there is no setting "console.registraton". Did you mean "console.registration"?',
  ],
  [
    { console: { registration: "invited" } },
    'console.registration is "invited", and must be one of "open", "closed".',
  ],
  [{ console: { countries: [] } }, "console.countries is [], and must NOT have fewer than 1 items."],
  [{ console: { countries: ["86"] } }, 'console.countries.0 is "86", and must match pattern'],
  [{ console: { smsPerDay: 0 } }, "console.smsPerDay is 0, and must be >= 1."],
  [{ console: { fourEyesPoints: 5 } }, "console.fourEyesPoints is 5, and must be string."],
  [{ console: { mailsPerDay: 0 } }, "console.mailsPerDay is 0, and must be >= 1."],
  [
    { console: { tax: { CNY: { name: "VAT", rate: "100" } } } },
    'console.tax.CNY.rate is "100", and must match pattern',
  ],
  [{ console: { tax: { CNY: { name: "VAT", rate: 6 } } } }, "console.tax.CNY.rate is 6, and must be string."],
  [{ console: { tax: { CNY: { rate: "6" } } } }, "console.tax.CNY"],
  [{ console: { tax: { cny: { name: "VAT", rate: "6" } } } }, "console.tax"],
  // Platforms call by TLS alone, and add their own path.
  [{ console: { notifyBase: "http://pay.example.com" } }, "console.notifyBase is"],
  [{ console: { notifyBase: "https://pay.example.com/" } }, "console.notifyBase is"],
  [{ console: { notifyBase: "https://pay.example.com?a=1" } }, "console.notifyBase is"],
  [
    { secrets: { platform: "x" } },
    'there is no setting "secrets.platform". Did you mean "secrets.platforms"?',
  ],
  [{ alarmMail: "a@b" }, 'there is no setting "alarmMail". Did you mean "alarmEmail"?'],
  [{ colour: "red" }, 'there is no setting "colour". Settings are catalog, alarmEmail,'],
  [
    { gatewayConcurrency: "900" },
    'gatewayConcurrency is "900", and must be integer. Expected: The most calls',
  ],
  [{ gatewayConcurrency: 0 }, "gatewayConcurrency is 0, and must be >= 1."],
  [{ gatewayConcurrency: 100_001 }, "gatewayConcurrency is 100001, and must be <= 100000."],
  // AWS takes no mapping with fewer than two functions, nor with more than a thousand.
  [{ settleConcurrency: 1 }, "settleConcurrency is 1, and must be >= 2. Expected: The most functions"],
  [{ settleConcurrency: 1_001 }, "settleConcurrency is 1001, and must be <= 1000."],
  [{ taskLifetimeSeconds: 1.5 }, "taskLifetimeSeconds is 1.5, and must be integer."],
  [{ telemetry: {} }, 'telemetry has no "endpoint".'],
  [{ telemetry: { endpoint: "http://otlp.example.com" } }, "telemetry.endpoint is"],
  [{ telemetry: { endpoint: "https://user:pass@otlp.example.com" } }, "telemetry.endpoint is"],
  [
    { telemetry: { endpoint: "https://otlp.example.com", sampel: 1 } },
    'there is no setting "telemetry.sampel". Did you mean "telemetry.sample"?',
  ],
  [{ telemetry: { endpoint: "https://otlp.example.com", sample: 2 } }, "telemetry.sample is 2"],
  [{ front: "url,web" }, 'front is "url,web", and must be one of "url", "web", "both", "service".'],
  [{ alarmEmail: "ops" }, 'alarmEmail is "ops", and must match pattern'],
  [{ operators: [] }, "operators is [], and must NOT have fewer than 1 items."],
  [{ operators: ["*"] }, 'operators.0 is "*", and must match pattern'],
  [{ cloudTrail: "yes" }, 'cloudTrail is "yes", and must be boolean.'],
  [{ tags: { team: 1 } }, "tags.team is 1, and must be string."],
  [{ tags: { stage: "x" } }, 'tags has the name "stage", which is not allowed.'],
  [{ tags: { "aws:team": "x" } }, 'tags has the name "aws:team", which is not allowed.'],
  [{ secrets: { peper: "x" } }, 'there is no setting "secrets.peper".'],
  [{ secrets: { pepper: "the pepper" } }, 'secrets.pepper is "the pepper", and must match pattern'],
  [
    { secrets: { pepper: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:pepper" } },
    'secrets.pepper is "arn:aws:secretsmanager:eu-west-1:123456789012:secret:pepper", and must match pattern',
  ],
  [{ tables: { keys: "abc" } }, 'tables has no "counters".'],
  [{ tables: { keys: "a b" } }, 'tables.keys is "a b", and must match pattern'],
  [{ tables: { board: "abc" } }, 'there is no setting "tables.board".'],
  [{ domain: {} }, 'domain has no "name". Expected: The stage'],
  [{ domain: { name: "api.example.com" } }, 'domain has no "certificateArn".'],
  [{ domain: { name: "api.example.com", zone: "x" } }, 'there is no setting "domain.zone".'],
  [
    { domain: { name: "a.example.com", certificateArn: "arn:aws:acm:eu-west-1:123456789012:certificate/1" } },
    "domain.certificateArn is ",
  ],
  [
    {
      domain: {
        ...domain,
        requestsPer5Minutes: 100,
        webAclArn: "arn:aws:wafv2:us-east-1:123456789012:global/webacl/a/b",
      },
    },
    "domain has members that exclude each other.",
  ],
  [{ catalog: "" }, 'catalog is "", and must NOT have fewer than 1 characters.'],
  [[], "the file is [], and must be object."],
])("is refused with %j", (content, message) => {
  expect(() => read(content)).toThrow(`eu-1.json: ${message}`);
});

it("is refused with all its faults at once, a line each", () => {
  const read2 = () => read({ front: "no", colour: "red" });
  expect(read2).toThrow(/eu-1\.json: there is no setting "colour".*\n.*eu-1\.json: front is "no"/);
});

it("is refused if it is no JSON, with what is wrong", () => {
  expect(() => read('{ "front": url }')).toThrow(/eu-1\.json is no JSON: Unexpected token 'u'/);
});

it("says how to make one where there is none", () => {
  const message = (stage: string) => {
    try {
      readStageFile(stage);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  expect(message("prd")).toContain("there is no file infra/stages/prd.json. Did you mean -c stage=prod?");
  const text = message("asia");
  expect(text).not.toContain("Did you mean");
  expect(text).toContain("Stages with a file: dev, prod.");
  const pasted = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  writeFileSync(join(folder, "pasted.json"), pasted);
  expect(readStageFile("pasted", folder)).toHaveProperty("catalog");
});

it("names the catalog that the operator reads, if there is a file", () => {
  expect([catalogOfStage("prod"), catalogOfStage("prd")]).toEqual([defaultCatalog, undefined]);
});

it("is checked by an editor with the same schema", () => {
  for (const stage of ["dev", "prod"]) {
    const file = JSON.parse(
      readFileSync(join(import.meta.dirname, `../../../infra/stages/${stage}.json`), "utf8"),
    );
    expect(file.$schema).toBe("./schema.json");
  }
});
