/** What the Python matrix runs against: providers on loopback, the local gateway, and customers of their own. */
import type { Customer } from "#test/support/customer.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { openBooks, type SessionBooks } from "#test/support/session-books.ts";
import { type Providers, startProviders } from "./python-providers.ts";

/** The protocols of the providers: the columns of the table. */
const protocols = ["openai", "responses", "anthropic", "gemini"] as const;

/** What a client's wallet has at first. */
const points = "1000";

export interface World extends Pick<SessionBooks, "disagreement" | "audit"> {
  gateway: LocalGateway;
  providers: Providers;
  /** A key that the calls of a matrix cannot pay with, and one whose quota is used up. */
  poor: string;
  empty: string;
  customer(): Promise<Customer>;
  stop(): Promise<void>;
}

/** Starts all of it. */
export async function startWorld(): Promise<World> {
  const providers = await startProviders();
  try {
    const env = { TEST_API_KEY: "upstream-secret", TASK_WAIT_SCALE: "0.01" };
    const gateway = await startLocal({ catalog: catalogAt(providers.url), env });
    const books = await openBooks(gateway, points);
    return {
      ...books,
      gateway,
      providers,
      poor: (await books.customer("0.000001")).key,
      empty: await emptyKey(gateway),
      async stop() {
        await gateway.stop();
        await providers.stop();
      },
    };
  } catch (error) {
    await providers.stop();
    throw error;
  }
}

/** A key of a plan without a single call. */
async function emptyKey(gateway: LocalGateway): Promise<string> {
  const { value } = await operator(gateway, "org", "create", "--name", "Empty", "--plan", "free");
  const flags = ["--org", String(value.id), "--mode", "subscription"];
  return String((await operator(gateway, "key", "create", ...flags)).value.key);
}

/** The catalog: models that work and models that fail behind a provider of each protocol, and what is no chat. */
function catalogAt(url: string): object {
  const about = { created: 1_760_000_000, owned_by: "test", display_name: "Test" };
  const tokens = { context_tokens: 100_000, output_tokens: 8_192 };
  const price = { mode: "flat_tokens", input: "2.5", output: "10", cache_read: "0.25", cache_write: "3.125" };
  const everyPeriod = (value: unknown) => ({ monthly: value, quarterly: value, yearly: value });
  const plan = (quota: number) => {
    return { quota: everyPeriod(quota), rpm: null, tpm: null, tpd: null, price: everyPeriod("0") };
  };
  const urls = { openai: "/v1", responses: "/v1", anthropic: "", gemini: "" };
  const provider = (protocol: string, base: string, secret = "TEST_API_KEY") => {
    return { protocols: { [protocol]: url + base }, auth: "bearer", secret };
  };
  const model = (
    id: string,
    provider: string,
    capabilities: string[],
    rest: object,
    upstream = "upstream",
  ) => {
    return { ...about, id, capabilities, ...rest, channels: [{ provider, model: upstream }] };
  };
  const chat = ["chat", "stream", "tools", "vision"];
  const perImage = { price: { mode: "per_image", unit_price: "0.2" } };
  return {
    version: "2026-11-22",
    providers: {
      ...Object.fromEntries(protocols.map((name) => [name, provider(name, urls[name])])),
      ark: { ...provider("ark", "/api/v3"), protocols: { ark: `${url}/api/v3`, openai: `${url}/api/v3` } },
      zhipu: { ...provider("zhipu", "/api/paas/v4"), protocols: { zhipu: `${url}/api/paas/v4` } },
      // It is elsewhere and its key is nowhere, so that the gateway's own demo provider makes the videos.
      studio: {
        protocols: { ark: "https://studio.example/api/v3" },
        auth: "bearer",
        secret: "STUDIO_API_KEY",
      },
    },
    models: [
      ...protocols.flatMap((name) =>
        ["model-1", "too-long", "limited-once", "down-once"].map((id) =>
          model(`acme/${name}-${id}`, name, chat, { ...tokens, price }, id === "model-1" ? "upstream" : id),
        ),
      ),
      ...["openai", "gemini", "ark"].map((name) =>
        model(`acme/${name}-embedding-1`, name, ["embeddings"], { ...tokens, output_tokens: 1, price }),
      ),
      model("acme/ark-vision-1", "ark", ["multimodal_embeddings"], {
        ...tokens,
        output_tokens: 1,
        price: { ...price, rates: { image_input: "3" } },
      }),
      ...["openai", "zhipu"].map((name) => model(`acme/${name}-image-1`, name, ["images"], perImage)),
      model("acme/ark-image-1", "ark", ["images", "stream"], perImage),
      model("acme/ark-video-1", "studio", ["video"], {
        price: { mode: "per_second", by_resolution: { "480p": "0.05", "720p": "0.1" } },
        video: { resolutions: ["480p", "720p"], default_resolution: "720p", max_seconds: 12 },
      }),
    ],
    plans: { free: plan(0), lite: plan(100), pro: plan(100) },
  };
}
