/**
 * `npm run package-test`: packs the construct, installs the tarball into an app of its own as npm does, and synthesizes
 * the app, which has the construct three times. Ends with 1 at the first thing that is not as infra/stack/construct.md
 * says.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage, packFolder } from "#infra/deploy/package.ts";
import { testCatalog } from "#test/support/memory.ts";

const root = join(import.meta.dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "package-test-"));
const app = join(scratch, "app");

/** What another team writes: two gateways in one stack, and one in a stack beside it, with settings of its own. */
const source = `
import { App, Stack, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { ModelGateway, type ModelGatewayProps } from "model-gateway";

const app = new App({ outdir: "cdk.out", context: { "aws:cdk:enable-asset-metadata": true } });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
const stack = new Stack(app, "Assistants");
const first = new ModelGateway(stack, "Models");
const props: ModelGatewayProps = { catalog: "models.json", front: "both", disposable: true };
const second = new ModelGateway(stack, "Trials", props);
const plain: ModelGatewayProps = { name: "others", console: { enabled: false } };
const third = new ModelGateway(new Stack(app, "Others"), "Models", plain);
const addresses: (string | undefined)[] = [first.url, second.webUrl, third.ledger.tableName];
if (addresses.includes(undefined)) throw new Error("an address is missing");
app.synth();
`;

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  Metadata?: Record<string, string>;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, unknown>;
}

/** An app with the package in its node_modules. The CDK is that of this project, so that nothing is downloaded. */
function install(): void {
  buildPackage(join(scratch, "package"));
  const tarball = packFolder(join(scratch, "package"), scratch);
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{"private":true,"type":"module"}\n');
  const offline = ["--offline", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...offline, tarball], { cwd: app, stdio: "inherit" });
  for (const name of ["aws-cdk-lib", "constructs", "cdk-nag", "@types"])
    symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
  writeFileSync(join(app, "app.ts"), source);
  writeFileSync(join(app, "models.json"), JSON.stringify(testCatalog("https://models.example")));
}

/** Checks the app's types against those of the package, and synthesizes it. */
function synthesize(): void {
  const options = { module: "nodenext", target: "es2022", strict: true, noEmit: true, skipLibCheck: true };
  const settings = { compilerOptions: { ...options, types: ["node"] }, files: ["app.ts"] };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify(settings));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: app, stdio: "inherit" });
  execFileSync(process.execPath, ["app.ts"], { cwd: app, stdio: "inherit" });
}

const templateOf = (stack: string) =>
  JSON.parse(readFileSync(join(app, "cdk.out", `${stack}.template.json`), "utf8")) as Template;
const idsOf = ({ Resources }: Template, type: string) =>
  Object.entries(Resources).flatMap(([id, { Type }]) => (Type === type ? [id] : []));

function check(): void {
  const [both, other] = [templateOf("Assistants"), templateOf("Others")];
  assert.equal(idsOf(both, "AWS::DynamoDB::GlobalTable").length, 14);
  // A gateway's and a console's each; the second gateway answers as a Web Function too.
  assert.equal(idsOf(both, "AWS::Lambda::Url").length, 4);
  assert.equal(idsOf(both, "AWS::Lambda::WebFunction").length, 1);
  assert.equal(idsOf(other, "AWS::DynamoDB::GlobalTable").length, 7);
  assert.equal(Object.keys(both.Outputs).filter((name) => name.includes("LedgerTableName")).length, 2);
  // Whatever CloudFormation does not name would be there twice.
  const named = Object.values(both.Resources).flatMap(({ Properties }) =>
    ["TableName", "QueueName", "AlarmName", "RoleName", "LogGroupName", "StateMachineName"].flatMap((name) =>
      typeof Properties[name] === "string" ? [`${name} ${Properties[name]}`] : [],
    ),
  );
  assert.deepEqual(named, []);
  const namespaces = [both, other].map(
    ({ Resources }) =>
      new Set(
        Object.values(Resources).flatMap(({ Properties }) =>
          typeof Properties.Namespace === "string" && Properties.Namespace.startsWith("model-gateway/")
            ? [Properties.Namespace]
            : [],
        ),
      ),
  );
  assert.deepEqual(
    namespaces.map(({ size }) => size),
    [2, 1],
  );
  assert.deepEqual([...(namespaces[1] ?? [])], ["model-gateway/others"]);
  assert.equal(catalogsIn(both).filter((text) => text.includes("test/model-1")).length, 6);
  assert.equal(catalogsIn(both).filter((text) => text.includes("openai/gpt-5.4-mini")).length, 6);
  checkSizes(both, other);
}

/** What the page says of resources must be so: CloudFormation takes 500 in a stack. */
function checkSizes(both: Template, other: Template): void {
  const page = readFileSync(join(root, "infra/stack/construct.md"), "utf8");
  const sizeOf = ({ Resources }: Template, prefix: string) =>
    Object.keys(Resources).filter((id) => id.startsWith(prefix)).length;
  const [whole, plain] = [sizeOf(both, "Models"), sizeOf(other, "Models")];
  const said = `A gateway has ${whole} resources, and ${plain} without its console.`;
  assert.ok(page.replaceAll(/\s+/g, " ").includes(said), `infra/stack/construct.md must say: ${said}`);
}

/** The catalogs beside the code of a stack's functions. */
function catalogsIn({ Resources }: Template): string[] {
  return Object.values(Resources).flatMap(({ Type, Metadata }) => {
    const folder = Metadata?.["aws:asset:path"];
    if (Type !== "AWS::Lambda::Function" || folder === undefined) return [];
    const files = readdirSync(join(app, "cdk.out", folder));
    const catalogs = files.filter((name) => name.startsWith("bundled.catalog"));
    return catalogs.map((name) => readFileSync(join(app, "cdk.out", folder, name), "utf8"));
  });
}

try {
  install();
  synthesize();
  check();
  console.log("The packed construct installs and synthesizes, three times in one app.");
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
