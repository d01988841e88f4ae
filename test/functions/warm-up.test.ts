/** What a sandbox does before its first call (functions/warm-up.ts): all of a call's way, and nothing that stays. */
import { createServer, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { defineAwsLambda } from "#infra/local/emulators/response-stream.ts";
import { variables } from "#shared/base/platform/env.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import { gatewayDeps } from "../../functions/deps.ts";
import { createRespond } from "../../functions/respond.ts";
import { warmUp } from "../../functions/warm-up.ts";

type GatewayPorts = ReturnType<typeof gatewayDeps>;

/** What Secrets Manager answers for each of the secrets. */
const secret = JSON.stringify({ SecretString: '{"current":{"version":1,"pepper":"x"}}' });

/** The actions that AWS was asked for, and what it answers. */
let asked: string[];
let status: number;
let aws: Listening;
let logs: string[];

beforeEach(async () => {
  asked = [];
  status = 200;
  logs = [];
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(String(request.headers["x-amz-target"]).split(".")[1] ?? "");
    request.resume();
    response.writeHead(status).end(status === 200 ? secret : "{}");
  });
  aws = await listen(server, 0);
  defineAwsLambda();
  for (const name of Object.values(variables)) vi.stubEnv(name, "1");
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  // The bound of a second never comes on a busy machine either, but where a test lets it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await aws.stop();
});

const ownDeps = (): GatewayPorts =>
  gatewayDeps({ env: process.env, log: (_, event) => void logs.push(event) });

describe("the warm-up", () => {
  it("asks AWS for secrets and for what is not there, and writes nothing", async () => {
    await warmUp(ownDeps());
    expect(asked.toSorted()).toEqual(["GetItem", "GetItem", "GetSecretValue", "GetSecretValue", "Query"]);
    expect(logs).toEqual([]);
  });

  it("sends a whole and a streamed call through all of the pipeline, and none of it to AWS", async () => {
    const deps = ownDeps();
    await Promise.all([deps.secrets.peppers(), deps.secrets.provider("")]);
    const calls: string[] = [];
    const lines: LogFields[] = [];
    await warmUp({ ...deps, accounts: nobody, boards: noBoards }, (ports) => {
      const note =
        <Words extends unknown[], Answer>(name: string, act: (...words: Words) => Answer) =>
        (...words: Words): Answer => {
          calls.push(name);
          return act(...words);
        };
      const { admit, intend, settle } = ports.meters;
      return createRespond({
        ...ports,
        meters: {
          ...ports.meters,
          admit: note("admit", admit),
          intend: note("intend", intend),
          settle: note("settle", settle),
        },
        queue: { send: note("send", ports.queue.send) },
        send: note("provider", ports.send),
        log: (_, __, fields = {}) => void lines.push(fields),
      });
    });
    const one = ["admit", "intend", "provider", "send", "settle"];
    expect(calls).toEqual([...one, ...one]);
    const answered = { status: 200, evidence: "reported", tokens: 2, flags: "" };
    expect(lines).toMatchObject([answered, { ...answered, first_byte_ms: expect.any(Number) }]);
    expect(asked).toEqual(["GetSecretValue", "GetSecretValue"]);
  });

  it("does not fail where AWS refuses or the calls fail", async () => {
    status = 400;
    await warmUp(ownDeps(), () => () => Promise.reject(new Error("no pipeline")));
    expect(asked).toContain("GetItem");
    expect(logs).toEqual([]);
  });

  it("is given up after a second where a store does not answer", async () => {
    vi.useFakeTimers();
    let isOver = false;
    const silent = () => new Promise<never>(() => {});
    const deps = { ...ownDeps(), accounts: { ...nobody, findPrincipal: silent } };
    const over = warmUp(deps, () => async () => {}).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await over;
  });
});

const nobody = { findPrincipal: async () => undefined } as unknown as GatewayPorts["accounts"];
const noBoards = {
  read: async () => ({ read_at: 0, windows: [], states: {} }),
} as unknown as GatewayPorts["boards"];
