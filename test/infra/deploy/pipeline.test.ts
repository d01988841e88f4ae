/** The pipeline sample: what it calls is there, nobody may do more than needed, and its page has the policies. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Job, readWorkflow, type Step, scriptPlace } from "#test/support/workflow-steps.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const workflow = readWorkflow("workflow.yml");
const { text } = workflow;
const jobs = Object.entries(workflow.jobs);
const page = read("infra/deploy/pipeline/README.md");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const job = (name: string) => workflow.jobs[name] as Job;
const runs = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => (run === undefined ? [] : [run])));
/** A value that GitHub puts in. */
const expression = (name: string) => `\${{ ${name} }}`;
const credentials = "aws-actions/configure-aws-credentials";
const isAction = (step: Step, action: string) => step.uses?.startsWith(`${action}@`) === true;

describe("what the workflow names", () => {
  it("is well-formed", () => {
    expect(workflow.complaints).toEqual([]);
    expect(jobs.map(([name]) => name)).toEqual([
      "check",
      "deploy-test",
      "diff",
      "comment",
      "deploy-dev",
      "deploy-prod",
    ]);
  });

  it("is there: scripts, stages, jobs", () => {
    const called = runs.flatMap((run) =>
      [...run.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name),
    );
    expect(new Set(called)).toEqual(new Set(["check", "deploy-test", "diff", "deploy"]));
    expect(called.filter((name) => !((name ?? "") in scripts))).toEqual([]);
    const stages = runs.flatMap((run) => [...run.matchAll(/stage=([\w-]+)/g)].map(([, name]) => name));
    expect(new Set(stages)).toEqual(new Set(["prod", "dev"]));
    expect(stages.filter((name) => !existsSync(join(root, `infra/stages/${name}.json`)))).toEqual([]);
    const needed = jobs.flatMap(([, { needs = [] }]) => needs);
    expect(needed.filter((name) => !(name in workflow.jobs))).toEqual([]);
  });

  it("is told by the page: jobs, environments and variables", () => {
    expect(jobs.filter(([name]) => !page.includes(`| \`${name}\` |`))).toEqual([]);
    const environments = jobs.flatMap(([, { environment = [] }]) => environment);
    expect(environments.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
    const variables = [...text.matchAll(/\bvars\.(\w+)/g)].map(([, name]) => `\`${name}\``);
    expect(variables.filter((name) => !page.includes(name))).toEqual([]);
  });
});

describe("who may do what", () => {
  it("pins every action by a commit, next to its version", () => {
    const lines = text.split("\n").filter((line) => line.includes("uses:"));
    const pin = /^ {6}- uses: ([\w-]+\/[\w-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$/;
    expect(lines.filter((line) => !pin.test(line))).toEqual([]);
    // One commit of each.
    const pins = new Set(lines.map((line) => pin.exec(line)?.[1]));
    expect(pins.size).toBe(3);
    expect(lines.length).toBe(jobs.flatMap(([, { steps }]) => steps.filter(({ uses }) => uses)).length);
  });

  it("gives each job the permissions that it needs", () => {
    expect(workflow.permissions).toEqual({});
    const reading = { contents: "read" };
    const known = { contents: "read", "id-token": "write" };
    expect(Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]))).toEqual({
      check: reading,
      "deploy-test": reading,
      diff: known,
      comment: { "pull-requests": "write" },
      "deploy-dev": known,
      "deploy-prod": known,
    });
    expect(job("comment").steps.filter(({ uses }) => uses)).toEqual([]);
    expect(text).not.toMatch(/\bsecrets\b|pull_request_target/);
  });

  it("gives credentials to environments alone, after packages are installed", () => {
    const withRole = jobs.filter(([, { steps }]) => steps.some((step) => isAction(step, credentials)));
    expect(withRole.map(([, { environment }]) => environment)).toEqual(["diff", "dev", "prod"]);
    for (const [, { permissions, steps }] of withRole) {
      expect(permissions["id-token"]).toBe("write");
      const asked = steps.findIndex((step) => isAction(step, credentials));
      expect(steps.findIndex(({ run }) => run === "npm ci")).toBeLessThan(asked);
      expect(steps[asked]?.with).toEqual({
        "role-to-assume": expression("vars.AWS_ROLE_ARN"),
        "aws-region": expression("vars.AWS_REGION"),
      });
    }
    const checkouts = jobs.flatMap(([, { steps }]) =>
      steps.filter((step) => isAction(step, "actions/checkout")),
    );
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  it("puts no text of people into a script", () => {
    expect(runs.filter((run) => run.includes("${{"))).toEqual([]);
  });

  it("deploys main alone: dev after the tests, prod after dev and the comparison, one at a time", () => {
    expect(job("deploy-dev").if).toBe(
      "github.ref == 'refs/heads/main' && github.event_name != 'pull_request'",
    );
    expect(job("deploy-dev").needs).toEqual(["check", "deploy-test"]);
    expect(job("deploy-prod").needs).toEqual(["deploy-dev", "diff"]);
    // A condition of its own could let it run although a job that it needs was skipped.
    expect(job("deploy-prod").if).toBeUndefined();
    for (const stage of ["dev", "prod"]) {
      expect(job(`deploy-${stage}`).concurrency).toEqual({
        group: `deploy-${stage}`,
        "cancel-in-progress": false,
      });
    }
  });
});

describe("its scripts", () => {
  const { folder, play } = scriptPlace();
  afterAll(() => rmSync(folder, { recursive: true }));

  const compare = job("diff").steps.find(({ id }) => id === "compare")?.run ?? "";
  const deploy = job("deploy-prod").steps.at(-1)?.run ?? "";
  const comment = job("comment").steps.at(-1)?.run ?? "";
  const each = 'for word in "$@"; do echo "<$word>"; done';

  it("the comparison is a block of the summary, and the output that the comment takes", () => {
    const { status, summary, output } = play(compare, "printf '%s\\n' '```' 'To deploy: HASH'");
    expect(status).toBe(0);
    expect(summary).toBe("### What `prod` would become\n\n    ```\n    To deploy: HASH\n");
    const [, end = "", told = ""] = /^text<<([0-9a-f]{32})\n(.*)\n\1\n$/s.exec(output) ?? [];
    expect(end).not.toBe("");
    expect(told.trimEnd()).toBe(summary.trimEnd());
  });

  it("a long one fits into a comment, and says that it is cut", () => {
    const { status, summary } = play(compare, "seq --format=└─%.0f 1 30000");
    expect(status).toBe(0);
    expect(summary.length).toBeLessThan(65_536);
    // Whole lines, and no half of a character.
    const lines = summary.split("\n").filter((line) => line.startsWith("    "));
    expect(lines).toEqual(lines.map((_, at) => `    └─${at + 1}`));
    expect(Buffer.byteLength(lines.join("\n"))).toBeGreaterThan(59_900);
    expect(summary).toContain("The rest is left out.");
  });

  it("a comparison that fails fails the job", () => {
    expect(play(compare, "echo no; exit 1").status).toBe(1);
  });

  it("the comment is what was compared, as it stands", () => {
    const env = { TEXT: "a $(b) `c` %s\n", NUMBER: "7", GITHUB_REPOSITORY: "o/r" };
    const { status, stdout } = play(comment, `${each}; cat`, env);
    expect(status).toBe(0);
    expect(stdout).toBe(
      "<pr>\n<comment>\n<7>\n<--repo>\n<o/r>\n<--edit-last>\n<--create-if-none>\n<--body-file>\n<->\na $(b) `c` %s\n",
    );
  });

  it("a deployment gets the hash of prices as one word, if there is one", () => {
    const words = "<run>\n<deploy>\n<-->\n<-c>\n<stage=prod>\n<--require-approval>\n<never>\n";
    expect(play(deploy, each, { CONFIRMED: "" }).stdout).toBe(words);
    expect(play(deploy, each, { CONFIRMED: "3f0c91a2b7de" }).stdout).toBe(
      `${words}<--confirm-prices>\n<3f0c91a2b7de>\n`,
    );
    expect(play(deploy, each, { CONFIRMED: "a b; c" }).stdout).toBe(`${words}<--confirm-prices>\n<a b; c>\n`);
  });
});

describe("the page", () => {
  interface Policy {
    Statement: {
      Action: string | string[];
      Resource?: string | string[];
      Principal?: object;
      Condition?: Record<string, Record<string, string>>;
    }[];
  }
  const policies = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, json = ""]) => JSON.parse(json) as Policy,
  );
  const [trust, diff, deploy] = policies;

  /** The permissions behind the requests that files make of CloudFormation. */
  function asked(...files: string[]): string[] {
    const source = files.map(read).join("\n");
    const requests = source.matchAll(/\b(\w+)Command\(|\bpaginate(\w+)\(/g);
    return [...new Set([...requests].map(([, one, many]) => `cloudformation:${one ?? many}`))].sort();
  }

  it("has a trust policy for one environment of one repository", () => {
    expect(policies).toHaveLength(3);
    const [statement, ...others] = trust?.Statement ?? [];
    expect(others).toEqual([]);
    expect(statement).toMatchObject({ Effect: "Allow", Action: "sts:AssumeRoleWithWebIdentity" });
    expect(Object.keys(statement?.Condition ?? {})).toEqual(["StringEquals"]);
    const issuer = "token.actions.githubusercontent.com";
    expect(Object.keys(statement?.Condition?.StringEquals ?? {})).toEqual([`${issuer}:aud`, `${issuer}:sub`]);
    expect(statement?.Condition?.StringEquals?.[`${issuer}:sub`]).toMatch(/^repo:[^*:]+:environment:prod$/);
    expect(JSON.stringify(statement?.Principal)).toContain(`:oidc-provider/${issuer}"`);
  });

  it("lets the comparison read what npm run diff asks for, and nothing else", () => {
    expect(diff?.Statement.map(({ Action }) => Action)).toEqual([
      asked("infra/deploy/diff.ts", "infra/deploy/deployed-stack.ts"),
    ]);
    expect(JSON.stringify(diff)).not.toContain("sts:");
  });

  it("lets a deployment do what npm run deploy asks for, and assume two roles of the bootstrap", () => {
    const [own, account, roles] = deploy?.Statement ?? [];
    expect(read("infra/deploy/account-limits.ts")).toContain("GetAccountSettingsCommand(");
    expect(account).toMatchObject({ Action: "lambda:GetAccountSettings", Resource: "*" });
    expect(own?.Action).toEqual(asked("infra/deploy/deploy.ts", "infra/deploy/deployed-stack.ts"));
    expect(own?.Resource).toMatch(/:stack\/model-gateway-prod\/\*$/);
    const bootstrap = read("node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml");
    const named = [roles?.Resource ?? []]
      .flat()
      .map((arn) => /role\/cdk-hnb659fds-([\w-]+?)-\d{12}-/.exec(arn)?.[1]);
    expect(named).toEqual(["deploy-role", "file-publishing-role"]);
    expect(named.filter((name) => !bootstrap.includes(`cdk-\${Qualifier}-${name}-`))).toEqual([]);
  });
});
