/** The sample that compares prices each week: who may do what in it, and what its scripts do. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readWorkflow, scriptPlace } from "#test/support/workflow-steps.ts";

const workflow = readWorkflow("prices.yml");
const page = readFileSync(new URL("../../../infra/deploy/pipeline/README.md", import.meta.url), "utf8");
const { sync, open } = workflow.jobs;
const scriptOf = (job: typeof sync) => job?.steps.at(-1)?.run ?? "";

describe("the workflow", () => {
  it("is well-formed, runs each week, and is told by the page", () => {
    expect(workflow.complaints).toEqual([]);
    const [{ cron }] = workflow.on.schedule as [{ cron: string }];
    expect(cron).toMatch(/^\d+ \d+ \* \* [0-6]$/);
    expect(Object.keys(workflow.jobs)).toEqual(["sync", "open"]);
    for (const name of ["sync", "open"]) expect(page).toContain(`| \`${name}\` |`);
    expect(page).toContain("(prices.yml)");
  });

  it("lets nobody both run packages and write to the repository", () => {
    expect(workflow.permissions).toEqual({});
    expect(sync?.permissions).toEqual({ contents: "read" });
    expect(open?.permissions).toEqual({ contents: "write", "pull-requests": "write" });
    expect(scriptOf(open)).not.toMatch(/\bnp[mx]\b|\bnode\b/);
    expect(workflow.text).not.toMatch(/\bsecrets\b|\bvars\b/);
  });

  it("pins the actions that the pipeline pins, and puts no text into a script", () => {
    const used = (text: string) => [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    const pinned = new Set(used(readWorkflow("workflow.yml").text));
    expect(used(workflow.text).filter((action) => !pinned.has(action))).toEqual([]);
    const steps = [sync, open].flatMap((job) => job?.steps ?? []);
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((step) => step.with?.["persist-credentials"])).toEqual([false, false]);
  });
});

describe("its scripts", () => {
  const { folder, play } = scriptPlace();
  afterAll(() => rmSync(folder, { recursive: true }));
  const git = (...words: string[]) => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
    return spawnSync("git", [...identity, ...words], { cwd: folder, encoding: "utf8" }).stdout;
  };
  const file = join(folder, "vendor.json");
  writeFileSync(file, "old\n");
  git("init", "--quiet");
  git("add", "vendor.json");
  git("commit", "--quiet", "--message", "first");

  const says = (code: number) => `echo "<$*>"; echo new > vendor.json; exit ${code}`;

  it("nothing differs: the summary says what was compared, and nobody is asked", () => {
    const { status, output, summary } = play(scriptOf(sync), 'echo "<$*>"');
    expect({ status, output }).toEqual({ status: 0, output: "" });
    expect(summary).toMatch(/^ {4}<run -s operator -- catalog sync --as-of \d{4}-\d\d-\d\d --write>\n$/);
  });

  it.each([1, 2])("a sync that ends with %i fails the job", (code) => {
    expect(play(scriptOf(sync), says(code))).toMatchObject({ status: code, output: "" });
    git("checkout", "--quiet", "--", "vendor.json");
  });

  it("a difference becomes a pull request with the files, or changes the one that is open", () => {
    const { status, output } = play(scriptOf(sync), says(3));
    expect(status).toBe(0);
    const [, patch = "", , text = ""] = /^patch=(\S+)\ntext<<([0-9a-f]{32})\n(.*)\n\2\n$/s.exec(output) ?? [];
    expect(text).toContain("catalog sync");
    git("checkout", "--quiet", "--", "vendor.json");
    expect(readFileSync(file, "utf8")).toBe("old\n");
    const env = { PATCH: patch, TEXT: text, GITHUB_REPOSITORY: "o/r" };
    const real = spawnSync("which", ["git"], { encoding: "utf8" }).stdout.trim();
    const gh = (number: string) => `
name=$(basename "$0")
if [ "$name" = git ] && [ "$1" != push ]; then exec ${real} "$@"; fi
if [ "$name $1 $2" = "gh pr list" ]; then echo "${number}"; exit; fi
echo "<$name $*>"; if [ "$1" = pr ]; then cat; fi`;
    const opened = play(scriptOf(open), gh(""), env, ["gh", "git"]);
    expect(opened.stderr).toBe("");
    expect(opened.stdout).toBe(
      `<gh auth setup-git>\n<git push --force https://github.com/o/r HEAD:refs/heads/catalog-prices>\n<gh pr create --repo o/r --head catalog-prices --base main --title Prices of this week --body-file ->\n${text}`,
    );
    rmSync(join(folder, "git"));
    expect(git("show", "--format=%an %s", "--stat", "HEAD")).toMatch(
      /^github-actions\[bot\] Catalog: prices of this week\n\n vendor\.json \| 2 \+-/,
    );
    git("reset", "--quiet", "--hard", "HEAD~1");
    const changed = play(scriptOf(open), gh("7"), env, ["gh", "git"]);
    expect(changed.stdout).toContain(`<gh pr edit 7 --repo o/r --body-file ->\n${text}`);
    rmSync(join(folder, "git"));
  });

  it("one that is too large for the other job fails, and says what to do", () => {
    git("reset", "--quiet", "--hard");
    const large = "head --bytes=200000 /dev/urandom | base64 > vendor.json; exit 3";
    const { status, stderr, output } = play(scriptOf(sync), large);
    expect({ status, output }).toEqual({ status: 1, output: "" });
    expect(stderr).toContain("Run catalog sync by hand.");
  });
});
