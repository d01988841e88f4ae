/** cfn-lint and checkov on the template of `prod`. Nothing is deployed, and neither of them calls anybody. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { buildApp } from "#infra/deploy/build-app.ts";
import { stackName } from "#infra/stage/outputs.ts";
import { actionsNewToCfnLint, exceptions, ignoredByCfnLint } from "./lint-exceptions.ts";
import type { Template } from "./stack.ts";

interface Finding {
  check_id: string;
  check_name: string;
  /** Its type and its name in the template, such as `AWS::Lambda::Url.GatewayUrl`. */
  resource: string;
}

/** Lints with the Python `interpreter`. Gives what is wrong, a line each. The assembly goes to `folder`. */
export async function lint(interpreter: string, folder: string): Promise<string[]> {
  const outdir = join(folder, "assembly-lint");
  const { app } = buildApp({ stage: "prod", outdir });
  const stack = app.synth().getStackByName(stackName("prod"));
  const types = new Set(Object.values((stack.template as Template).Resources).map(({ Type }) => Type));
  const bin = join(interpreter, "..");
  const file = join(outdir, stack.templateFile);
  const [forCfnLint, found] = await Promise.all([
    output(join(bin, "cfn-lint"), file, "--ignore-checks", ...Object.keys(ignoredByCfnLint)),
    // Without --skip-download it asks its vendor for texts. Without --quiet it prints what it has passed too, and fails at
    // a function with two others connected to it.
    output(
      join(bin, "checkov"),
      "-f",
      file,
      ..."--framework cloudformation --skip-download --quiet -o json".split(" "),
    ),
  ]);
  return [
    ...forCfnLint.split("\n\n").filter((finding) => finding.trim() !== "" && !isOfNewAction(finding)),
    ...judge((JSON.parse(found) as { results: { failed_checks: Finding[] } }).results.failed_checks, types),
  ];
}

/** Whether cfn-lint only does not know an action yet. */
function isOfNewAction(finding: string): boolean {
  return actionsNewToCfnLint.some((action) => finding.startsWith(`W3037 '${action.toLowerCase()}' `));
}

/** Findings without an exception, and exceptions without a finding, for a template with resources of these types. */
export function judge(findings: readonly Finding[], types: ReadonlySet<string>): string[] {
  const key = (check: string, type = "") => `${check} ${type}`;
  const known = new Set(exceptions.map(({ check, type }) => key(check, type)));
  const seen = new Set(findings.map((each) => key(each.check_id, each.resource.split(".")[0])));
  return [
    ...findings
      .filter((each) => !known.has(key(each.check_id, each.resource.split(".")[0])))
      .map(({ check_id, resource, check_name }) => `${check_id} ${resource}: ${check_name}`),
    ...exceptions
      .filter(({ check, type }) => types.has(type) && !seen.has(key(check, type)))
      .map(({ check, type }) => `${check} is not found on ${type} any more: remove its exception`),
  ];
}

/** What a linter prints. It ends with another code than 0 when it finds something. */
function output(file: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error && stdout === "") reject(new Error(`${file}: ${stderr || error.message}`));
      else resolve(stdout);
    });
  });
}
