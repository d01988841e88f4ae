/**
 * schemathesis on a gateway of this machine: it makes requests from the OpenAPI document, right ones and wrong ones, and
 * compares every answer with the document. Neither of them calls anybody but this machine.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { excludedChecks, type FuzzedDocument, forFuzzing, settingsOf, tooStrict } from "./fuzz-document.ts";

/** What the requests follow from. */
const seed = 1;

/** How many requests are drawn for each operation, beside those that stand for its document's every rule. */
const examples = 10;

/** A run that takes longer hangs. A busy machine takes ten minutes. */
const runMs = 1_800_000;

/** So many calls must reach a provider: a run whose requests are all refused shows little. */
const answeredMin = 500;

interface Outcome {
  code: number | null;
  /** All that it printed. */
  text: string;
}

/**
 * Fuzzes every operation with the Python `interpreter`. Gives what was done in words. Throws with what schemathesis
 * found, or where its control finds nothing. Files go to `folder`, and `say` is told of each phase.
 */
export async function fuzz(
  interpreter: string,
  folder: string,
  say: (line: string) => void,
): Promise<string> {
  await using parts = new AsyncDisposableStack();
  const gateway = await startLocal({
    // A function URL in front of the function, as on AWS.
    args: ["--isolated"],
    env: { TASK_WAIT_SCALE: "0.001", STREAM_WAIT_SCALE: "0.001", ...withoutProviders() },
  });
  parts.defer(async () => void (await gateway.stop()));
  const reply = await fetch(`${gateway.url}/openapi.json`);
  const document = forFuzzing((await reply.json()) as FuzzedDocument);
  const run = (name: string, about: FuzzedDocument, more: string[] = [], tell = say) =>
    schemathesis({ interpreter, gateway, place: join(folder, name), document: about, more, say: tell });

  const control = await run("fuzz-control", tooStrict(document), ["--include-path", "/health"], () => {});
  assert.equal(control.code, 1, `a document that is wrong about /health was accepted:\n${control.text}`);
  assert.match(control.text, /"x-never" is a required property/, control.text);

  const { code, text } = await run("fuzz", document);
  assert.equal(code, 0, `schemathesis found:\n${text}`);
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
  assert.equal(
    Number(/Tested: (\d+)/.exec(text)?.[1]),
    operations,
    `not every operation was fuzzed:\n${text}`,
  );
  const lines = gateway.output().split("\n");
  const answered = lines.filter((line) => line.includes('"event":"call"')).length;
  assert.ok(answered >= answeredMin, `only ${answered} calls reached a provider`);
  const troubled = lines.filter((line) => /"level":"error"|"event":"queue_failed"/.test(line));
  assert.deepEqual(troubled, [], "the gateway logged trouble of its own");
  const requests = /(\d+) generated/.exec(text)?.[1];
  return `${requests} requests to ${operations} operations, ${answered} calls reached a provider`;
}

/** The environment without any provider's key: with one, thousands of calls would be paid for. */
function withoutProviders(): Record<string, string> {
  const { providers } = readCatalog(defaultCatalog);
  const names = Object.values(providers).flatMap(({ secret, secrets = [secret] }) => secrets);
  return Object.fromEntries(names.map((name) => [name, ""]));
}

interface Run {
  interpreter: string;
  gateway: Pick<LocalGateway, "url" | "keys">;
  /** Its working folder, which is made here. */
  place: string;
  document: FuzzedDocument;
  /** More options of schemathesis. */
  more: string[];
  say(line: string): void;
}

async function schemathesis({ interpreter, gateway, place, document, more, say }: Run): Promise<Outcome> {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "openapi.json"), JSON.stringify(document));
  writeFileSync(join(place, "settings.toml"), settingsOf(document));
  const child = spawn(
    join(interpreter, "../st"),
    [
      ..."--no-color --config-file settings.toml run openapi.json --continue-on-failure".split(" "),
      // Two workers sometimes fail inside of Python 3.11, and what they send depends on who is faster.
      ...`--workers 1 --seed ${seed} --max-examples ${examples} --generation-database none`.split(" "),
      // Otherwise most requests have another, wrong key beside the right one. That a wrong key is refused is tested anyway.
      ..."--generation-with-security-parameters false".split(" "),
      // Of a path's parameter that may be any text, few wrong values can be drawn. It is no fault that it drops many.
      ..."--suppress-health-check filter_too_much".split(" "),
      ...["--exclude-checks", Object.keys(excludedChecks).join(",")],
      ...["--url", gateway.url, "--header", `Authorization: Bearer ${gateway.keys.manager}`],
      ...more,
    ],
    {
      cwd: place,
      env: { ...process.env, NO_PROXY: "127.0.0.1", PYTHONDONTWRITEBYTECODE: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: runMs,
    },
  );
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      text += `${line}\n`;
      const phase = /(Examples|Coverage|Fuzzing|Stateful) \(in .*\)/.exec(line);
      if (phase) say(`schemathesis: ${phase[0]}`);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text };
}
