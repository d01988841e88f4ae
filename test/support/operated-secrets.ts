/**
 * The operator's commands on stand-ins of DynamoDB and Secrets Manager alone, without a gateway: they find both in a ready
 * file.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { startSecrets } from "#infra/local/emulators/secrets.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { startDynamoDb, tables } from "./dynamodb.ts";
import { runHere, type Terminals } from "./streams.ts";
import { transports } from "./transports.ts";

/** Two providers with a key each, and one more name. */
const catalog = {
  version: "test",
  providers: {
    acme: { protocols: { openai: "https://acme.test" }, auth: "bearer", secret: "ACME_KEY" },
    both: { protocols: { openai: "https://both.test" }, auth: "bearer", secrets: ["ACME_KEY", "SPARE_KEY"] },
  },
  models: [],
  plans: {},
};

/** The names of the secrets. */
export const arns = {
  pepper: "arn:pepper",
  providers: "arn:providers",
  accounts: "arn:accounts",
  platforms: "arn:platforms",
};

/** What a test of these commands has. */
interface OperatedSecrets {
  aws: Aws;
  /** What the secrets hold. */
  values: Map<string, string>;
  /** What Secrets Manager thinks the time is, Unix milliseconds. */
  writtenAt: number;
  /** Runs a command, and gives what it printed as JSON. `typed` is its standard input. */
  operate(
    line: string,
    typed?: string,
    // biome-ignore lint/suspicious/noExplicitAny: each test knows what its command prints.
  ): Promise<{ code: number; error: string; value: any }>;
  /** Runs it as a person sees it. */
  look(line: string, terminals?: Terminals, typed?: string): ReturnType<typeof runHere>;
}

/** Registers the stand-ins for the tests of a file. */
export function useOperatedSecrets(): OperatedSecrets {
  const folder = mkdtempSync(join(tmpdir(), "operator-secrets-"));
  const readyFile = join(folder, "ready.json");
  const parts = new AsyncDisposableStack();
  parts.defer(() => rmSync(folder, { recursive: true }));
  const words = (line: string) => [...line.split(" "), "--local", "--ready-file", readyFile];
  const operated = {
    values: new Map<string, string>(),
    writtenAt: 0,
    async operate(line: string, typed?: string) {
      const { code, out, error } = await runHere([...words(line), "--json"], {}, typed);
      return { code, error, value: out === "" ? undefined : JSON.parse(out) };
    },
    look: (line: string, terminals: Terminals = {}, typed?: string) => runHere(words(line), terminals, typed),
  } as OperatedSecrets;
  beforeAll(async () => {
    const db = await startDynamoDb();
    parts.defer(db.stop);
    const server = await startSecrets(operated.values, { now: () => operated.writtenAt });
    parts.defer(server.stop);
    operated.aws = transports.lean({ dynamodb: db.endpoint, secretsmanager: server.url });
    writeFileSync(join(folder, "catalog.json"), JSON.stringify(catalog));
    const endpoints = {
      ...{ dynamodb: db.endpoint, secrets: server.url, sqs: server.url, states: server.url },
      ...{ tables, pepperSecretArn: arns.pepper, providersSecretArn: arns.providers, region: "us-east-1" },
      ...{ accountsSecretArn: arns.accounts, platformsSecretArn: arns.platforms },
      ...{ assembly: folder, log: join(folder, "log.jsonl") },
    };
    writeFileSync(readyFile, JSON.stringify({ endpoints }));
  });
  afterAll(() => parts.disposeAsync());
  return operated;
}
