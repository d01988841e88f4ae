/** A pipeline whose chat model has two providers, for organizations with keys of their own at the first one. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { OwnFee } from "#shared/books/billing/own-fee.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, type CallOptions, call } from "./call.ts";
import { createMemory, type Memory, testCatalog } from "./memory.ts";
import { chatBody, chatPath, completion } from "./scenario.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

interface OwnKeyScenario {
  /** The provider `test`, which has two keys of ours, and the one that is asked after it. */
  test: Upstream;
  other: Upstream;
  memory: Memory;
  /** Begins anew with this fee; undefined: the catalog takes no keys. */
  sell(fee: OwnFee | undefined, change?: (catalog: OwnKeyCatalog) => object): void;
  /** A chat of an organization with these fields. */
  chat(organization: Partial<Organization>, options?: CallOptions, key?: object): Promise<Answer>;
  /** What authenticates an organization's calls. */
  bearer(organization: Partial<Organization>, key?: object): Record<string, string>;
  send(path: string, options: CallOptions): Promise<Answer>;
  /** The keys that a provider was called with, in order. */
  keysAt(name: "test" | "other"): (string | undefined)[];
}

interface OwnKeyCatalog {
  providers: { test: object };
  models: { channels: object[] }[];
  plans: { free: object };
}

/** Registers a fresh scenario, with a fee of 5 %, for each test of the file. */
export function useOwnKeys(): OwnKeyScenario {
  let serve: Pipeline;
  const scenario = {} as OwnKeyScenario;
  const members: Omit<OwnKeyScenario, "test" | "other" | "memory"> = {
    sell(fee, change = (catalog) => catalog) {
      const catalog = change(catalogOf(scenario));
      scenario.memory = createMemory({ ...catalog, ...(fee && { byok_fee: fee }) });
      serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
    },
    bearer: (organization, key = {}) => ({
      authorization: `Bearer ${scenario.memory.addKey(key, organization)}`,
    }),
    chat: (organization, { headers = {}, ...options } = {}, key = {}) =>
      scenario.send(chatPath, {
        body: chatBody,
        ...options,
        headers: { ...scenario.bearer(organization, key), ...headers },
      }),
    send: (path, options) => call(serve, path, options),
    keysAt: (name) => scenario[name].requests.map(({ headers }) => headers.authorization?.slice(7)),
  };
  Object.assign(scenario, members);
  beforeAll(async () => {
    scenario.test = await startUpstream();
    scenario.other = await startUpstream();
  });
  afterAll(() => Promise.all([scenario.test.stop(), scenario.other.stop()]));
  beforeEach(() => {
    scenario.sell({ share: "0.05" });
    for (const upstream of [scenario.test, scenario.other]) {
      upstream.reset();
      upstream.json(completion);
    }
  });
  return scenario;
}

function catalogOf({ test, other }: Pick<OwnKeyScenario, "test" | "other">): OwnKeyCatalog {
  const base = testCatalog(test.url) as OwnKeyCatalog;
  const [chat, ...others] = base.models;
  return {
    ...base,
    providers: {
      ...base.providers,
      test: { ...base.providers.test, secrets: ["TEST_API_KEY", "TEST_KEY_2"] },
      other: { protocols: { openai: `${other.url}/v1` }, secret: "OTHER_KEY" },
    } as OwnKeyCatalog["providers"],
    models: [
      {
        ...chat,
        channels: [
          { provider: "test", model: "upstream-model" },
          { provider: "other", model: "upstream-model", priority: 2 },
        ],
      },
      ...others,
    ],
  };
}
