/**
 * The suites, as projects of one run (test/README.md): `unit` knows the product's modules and stores in memory or on
 * the embedded database, the others know the running gateway.
 */
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./support/closing-line.ts";

/**
 * Files that change their process for whatever runs in it: they mock a module, or replace functions of Node. A simulation
 * does, and what another file has loaded by another name would be loaded again in the midst of a history.
 */
const alone = [
  "test/faults/planted.test.ts",
  "test/infra/local/stack/synthesis.test.ts",
  "test/infra/local/demo/weather.test.ts",
];

/**
 * The files of `npm run test:long`: searches of many histories and requests, processes that are killed, machines that
 * start anew. Each takes a core for ten seconds or more. CI runs them, and so does who changes what they test.
 */
const long = [
  "test/faults/kill.test.ts",
  "test/faults/orders.test.ts",
  "test/faults/simulation.test.ts",
  "test/faults/video-run-kill.test.ts",
  "test/local/console-attacks.test.ts",
  "test/local/large-bodies.test.ts",
  "test/local/ledger-export.test.ts",
  "test/local/load.test.ts",
  "test/local/operator-ledger.test.ts",
  "test/local/reference.test.ts",
  "test/deployed/template-checks.test.ts",
  "test/infra/local/emulators/database-program.test.ts",
  "test/infra/local/start/first-start.test.ts",
  "test/infra/local/emulators/one-thread.test.ts",
  "test/infra/local/start/start-failures.test.ts",
  "test/sdk/model-switch.test.ts",
  "test/shared/base/platform/request-signature.test.ts",
  "test/shared/calls/access/refusals-properties.test.ts",
  "test/shared/calls/access/shortfall-models.test.ts",
  "test/shared/calls/gateway/fuzz-answers.test.ts",
  "test/shared/calls/gateway/fuzz.test.ts",
  "test/shared/edges/audit/faults.test.ts",
  "test/shared/edges/jobs/seal.test.ts",
  "test/shared/edges/jobs/shards-crashes.test.ts",
  "test/shared/people/orders/races.test.ts",
  "test/shared/books/reports/report-groups.test.ts",
  "test/shared/books/reports/bills/many-months.test.ts",
  "test/shared/calls/routing/weather.test.ts",
  "test/shared/edges/store/meters/limits-properties.test.ts",
  "test/shared/calls/tasks/races.test.ts",
];

/**
 * Of tests that wait for processes, queues and the provider's pauses: five at a time keep two cores busy. They run first.
 * Where a machine is so busy that the product's own times run out, such as a judge's second, a test is played once more.
 */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 0 }, retry: 1 };

// biome-ignore lint/style/noDefaultExport: vitest reads the default export of its configuration.
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    reporters: ["default", new ClosingLine()],
    globalSetup: ["test/support/kept-assembly.ts", "test/support/database-program.ts"],
    pool: "forks",
    // One more than the cores of a small machine.
    maxWorkers: 3,
    // No test has a bound of its own: these end what hangs, on a machine ten times as busy as two cores should be.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    // A file leaves nothing behind in its process, so that one process serves many of them, and loads the CDK once.
    isolate: false,
    // A CommonJS package's default export is what Node says it is, as in the product and for the compiler.
    deps: { interopDefault: false },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          sequence: { groupOrder: 1 },
          include: ["test/{shared,functions,house,bench,cache,console,agents,load}/**/*.test.ts"],
          exclude: long,
        },
      },
      { extends: true, test: { name: "sdk", include: ["test/sdk/**/*.test.ts"], exclude: long, ...waiting } },
      {
        extends: true,
        test: {
          ...waiting,
          name: "local",
          include: ["test/{local,infra,deployed,deploy,faults}/**/*.test.ts"],
          exclude: [...alone, ...long],
        },
      },
      { extends: true, test: { ...waiting, name: "local alone", include: alone, isolate: true } },
      { extends: true, test: { ...waiting, name: "long", include: long, isolate: true } },
    ],
  },
});
