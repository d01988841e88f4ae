/**
 * What a sandbox does before its first call, while its module loads: the processor is whole then, and small afterwards
 * (infra/resources/fronts.md "The first call of a sandbox"). Two calls go through the pipeline, to stores and to a
 * provider that are not there, so that their code is compiled. Connections to AWS are opened by reads of nothing.
 * Nothing is written, logged or billed.
 */
import { Writable } from "node:stream";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Send } from "#shared/base/platform/http-client.ts";
import { newId } from "#shared/base/platform/id.ts";
import { within } from "#shared/base/platform/pause.ts";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { nominalPrice } from "#shared/books/billing/pricing/modes/flat-tokens.ts";
import type { ModelEntry, Plan } from "#shared/books/catalog/catalog.ts";
import type { BundledCatalog } from "#shared/books/catalog/models.ts";
import { gatewayDeps } from "./deps.ts";
import { createRespond } from "./respond.ts";

type GatewayPorts = ReturnType<typeof gatewayDeps>;

/** The most that a start is held up by stores that do not answer, milliseconds. */
const warmUpMs = 1_000;

/** Never rejects: what fails here is left to the first call. `create` makes the function of the two calls. */
export async function warmUp(own: GatewayPorts, create = createRespond): Promise<void> {
  const done = Promise.allSettled([openConnections(own), callAlone(create)]);
  await within<unknown>(done, warmUpMs, undefined);
}

/** As many connections as a call has requests at a time. */
async function openConnections({ secrets, accounts, boards, now }: GatewayPorts): Promise<void> {
  await Promise.allSettled([
    secrets.peppers(),
    secrets.provider(""),
    accounts.findPrincipal(nothing),
    accounts.findPrincipal(nothing),
    boards.read(nothing, now()),
  ]);
}

/** The name of what nobody has. */
const nothing = "warm-up";

async function callAlone(create: typeof createRespond): Promise<void> {
  for (const isStream of [false, true]) {
    const outlet = new Writable({ write: (_bytes, _encoding, done) => done() });
    // The runtime marks a stream's answer by this.
    Object.assign(outlet, { setContentType() {} });
    await create(portsOf(isStream))({ event: eventOf(isStream), outlet }, outlet, context);
  }
}

const ignore = (): void => {};
const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

/** The real stores over a transport that says yes to everything, and a provider that has its answer ready. */
function portsOf(isStream: boolean): GatewayPorts {
  const host = { env: process.env, log: ignore, catalog, transport: async () => ({}) };
  const deps = gatewayDeps(host, Promise.resolve(undefined));
  const mode = isStream ? "subscription" : "payg";
  const whose = { ...principal, key: { ...principal.key, mode } } as const;
  const accounts = { ...deps.accounts, findPrincipal: async () => whose };
  return { ...deps, accounts, secrets, send: sendOf(isStream) };
}

const secrets: GatewayPorts["secrets"] = {
  peppers: async () => peppersOf({ version: 1, value: nothing }),
  provider: async () => nothing,
  lacks: () => false,
};

const [organization, key, meter] = [newId("organization", 0), newId("key", 0), newId("meter", 0)];

const principal: Principal = {
  key: {
    id: key,
    hash: nothing,
    organization,
    project: "",
    name: nothing,
    mode: "payg",
    permissions: [],
    limits: null,
    status: "active",
    last_four: "xxxx",
    created_at: 0,
    expires_at: null,
  },
  organization: {
    id: organization,
    name: nothing,
    status: "active",
    subscription: { meter, plan: nothing, period: "monthly", started_at: 0, ends_at: null },
    wallet: { meter, shards: 1 },
    permissions: [],
    created_at: 0,
  },
};

const model: ModelEntry = {
  id: nothing,
  aliases: [],
  display_name: nothing,
  created: 0,
  owned_by: nothing,
  capabilities: ["chat", "stream"],
  context_tokens: 8_192,
  output_tokens: 8_192,
  media_tokens: null,
  price: nominalPrice,
  pricing_group: null,
  price_source: null,
  discount_rate: "1",
  permission: null,
  strict: false,
  video: null,
  channels: [{ provider: nothing, model: nothing, priority: 0, weight: 1 }],
};

const plan: Plan = {
  price: { monthly: "1", quarterly: "1", yearly: "1" },
  quota: { monthly: 1, quarterly: 1, yearly: 1 },
  rpm: 1,
  tpm: 1_000_000,
  tpd: 1_000_000,
  models: ["*"],
  n_max: null,
  tools: {},
  ways: {},
  video: {},
  list_points_max: null,
  routing: "smart",
  cache: true,
};

const catalog: BundledCatalog = {
  version: nothing,
  providers: {
    [nothing]: { protocols: { openai: "https://warm-up.invalid" }, auth: "bearer", secret: nothing },
  },
  pricing_groups: {},
  plans: { [nothing]: plan },
  payg: { routing: "basic" },
  models: JSON.stringify(model),
  names: { [nothing]: 0 },
};

function eventOf(isStream: boolean): APIGatewayProxyEventV2 {
  const messages = [{ role: "user", content: "Hello" }];
  return {
    rawPath: "/v1/chat/completions",
    rawQueryString: "",
    // In the form of a key, which is looked up nowhere.
    headers: { authorization: `Bearer sk-payg-${"x".repeat(43)}`, "content-type": "application/json" },
    requestContext: { http: { method: "POST" } },
    body: JSON.stringify({ model: nothing, max_tokens: 100, stream: isStream, messages }),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = { role: "assistant", content: "Hello" };
const whole = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
const frames = [
  JSON.stringify({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
  JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  JSON.stringify({ choices: [], usage }),
  "[DONE]",
].map((data) => `data: ${data}\n\n`);

function sendOf(isStream: boolean): Send {
  return async () => {
    const pieces = (isStream ? frames : [whole]).map((text) => Buffer.from(text));
    const take = () => pieces.shift();
    return {
      status: 200,
      headers: { "content-type": isStream ? "text/event-stream" : "application/json" },
      // Each read finds a piece, so nobody has to listen for one.
      body: { take, next: async () => take(), listen: ignore, destroy: ignore },
    };
  };
}
