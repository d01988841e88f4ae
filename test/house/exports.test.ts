/**
 * What of the product only tests use. `npm run lint` asks knip for what nobody uses. This asks it without the tests,
 * and whatever it names then has a reason here.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Values that the product exports for tests, by the reason why tests need them. */
const reasons: Record<string, readonly string[]> = {
  "a list that a test compares with documents, goldens, the template or another list": [
    "console/invoice-form.ts invoiceOrdersMax",
    "infra/bundles/console-assets.ts adminDocumentFile",
    "infra/bundles/console-assets.ts consoleDocumentFile",
    "infra/bundles/console-assets.ts consoleFiles",
    "infra/bundles/console-assets.ts wordNames",
    "infra/bundles/pages.ts documentFile",
    "infra/bundles/pages.ts pages",
    "infra/cost/parts.ts partsFile",
    "infra/local/demo/strictness.ts rules",
    "infra/local/demo/strictness/openai-forms.ts strictKeywords",
    "infra/local/emulators/database-program.ts knownHashes",
    "infra/local/stack/stack-cache.ts builtFiles",
    "infra/local/stack/stack-cache.ts builtFolders",
    "infra/resources/operator-permissions.ts permissions",
    "infra/stage/stage.ts fronts",
    "shared/books/catalog/agent-tools.ts agentTools",
    "shared/calls/gateway/program-line.ts programs",
    "shared/calls/routing/histogram.ts buckets",
    "shared/calls/upstreams/blame.ts blameRows",
    "shared/calls/upstreams/refusal-codes.ts forms",
    "shared/calls/upstreams/refusal-codes.ts refusalCodes",
    "shared/edges/console/assets.ts contentSecurityPolicy",
    "shared/people/payments/states.ts moves",
  ],
  "one step of a whole, which a test gives cases that the whole would be asked for slowly, or never": [
    "infra/local/dashboard/chart.ts formatNumber",
    "infra/local/dashboard/chart.ts linePath",
    "infra/local/dashboard/chart.ts niceMaximum",
    "infra/local/dashboard/log-metrics.ts extract",
    "infra/local/emulators/dynamodb.ts hiddenPlace",
    "infra/local/emulators/event-bus.ts matches",
    "infra/local/emulators/loopback.ts isOfThisMachine",
    "infra/local/emulators/schedule.ts parseCron",
    "infra/local/emulators/state-machine.ts compress",
    "infra/local/stack/template.ts createReader",
    "shared/base/http/router.ts styleOf",
    "shared/base/platform/public-address.ts isPublicAddress",
    "shared/base/json/exact.ts mayChange",
    "shared/books/catalog/listing.ts openaiModel",
    "shared/books/catalog/listing.ts publicList",
    "shared/calls/cache/semantic/page.ts packPage",
    "shared/calls/cache/semantic/page.ts unpackPage",
    "shared/calls/protocols/gemini/path.ts splitModelAction",
    "shared/calls/protocols/openai-responses/pass-through/reply.ts outputBytes",
    "shared/calls/routing/histogram.ts bucketOf",
    "shared/calls/routing/race.ts race",
    "shared/edges/audit/audit.ts look",
    "shared/edges/audit/ties/ties.ts rowOf",
    "shared/edges/audit/ties/ties.ts tieOf",
    "shared/edges/audit/uses.ts usesOf",
    "shared/edges/console/operations/organization-invitations.ts acceptInvitation",
    "shared/edges/operator/secret-versions.ts rotated",
    "shared/edges/restore/rebooking.ts wayOf",
    "shared/edges/store/usage-queue.ts readDeadLetters",
  ],
  "what tests and their stand-ins make, read or refuse as the product does": [
    "console/agents.ts agentSetup",
    "infra/local/demo/strictness.ts refusalOf",
    "infra/local/demo/strictness/signatures.ts issueSignature",
    "infra/local/sandbox/identity-provider.ts sandboxClient",
    "infra/local/start/built-stack.ts bundlesOf",
    "shared/base/platform/aws.ts parseJson",
    "shared/base/platform/aws.ts retryPauseMs",
    "shared/edges/store/ledger/late-postings.ts postingTries",
    "shared/edges/store/ledger/postings.ts entryItem",
    "shared/people/invoices/tax-id.ts checkCharacter",
  ],
  "loaded by the text of its file (quick-load.ts), which no import shows": [
    "infra/local/stack/local-app.ts synthesizeLocally",
  ],
};

interface Reported {
  issues: { file: string; exports: { name: string }[]; files: { name: string }[] }[];
}

test("what the product exports for tests alone has a reason", () => {
  const args = ["--config", ".knip.jsonc", "--production", "--include", "files,exports", "--no-config-hints"];
  const knip = spawnSync(
    process.execPath,
    [join(root, "node_modules/knip/bin/knip.js"), ...args, "--no-progress", "--reporter", "json"],
    { cwd: root, encoding: "utf8", maxBuffer: 2 ** 24 },
  );
  expect(knip.stderr).toBe("");
  const { issues } = JSON.parse(knip.stdout) as Reported;
  expect(issues.flatMap(({ files }) => files.map(({ name }) => name))).toEqual([]);
  const found = issues.flatMap(({ file, exports }) => exports.map(({ name }) => `${file} ${name}`));
  expect(found.toSorted()).toEqual(Object.values(reasons).flat().toSorted());
});
