/** A small catalog to break: `sample()` is accepted as it is, `set` changes one place of it. */

/** Any prices per million tokens. */
export const rates = { input: "2.5", output: "10", cache_read: "0.25", cache_write: "3.125" };

/** The smallest catalog with a model of each kind; each call gives a fresh one to break. */
export function sample() {
  const plan = {
    price: { monthly: "599", quarterly: "1647", yearly: "5988" },
    quota: { monthly: 10, quarterly: 11, yearly: 12 },
    rpm: 600,
    tpm: null,
    tpd: null,
  };
  const about = () => ({
    created: 1_760_000_000,
    owned_by: "acme",
    channels: [{ provider: "acme", model: "upstream" }],
  });
  return {
    version: "2026-11-21",
    providers: {
      acme: {
        protocols: { openai: "https://api.acme.example/v1", ark: "https://api.acme.example/api/v3" },
        secret: "ACME_API_KEY",
      },
      talk: { protocols: { anthropic: "https://talk.example" }, secret: "TALK_KEY" },
    },
    pricing_groups: { shared: { mode: "flat_tokens", ...rates } },
    models: [
      {
        id: "acme/Sonic-1-5",
        aliases: ["acme/sonic-1.5"],
        display_name: "Sonic 1.5",
        capabilities: ["chat", "stream"],
        context_tokens: 200_000,
        output_tokens: 8192,
        pricing_group: "shared",
        ...about(),
      },
      {
        id: "acme/brush-1",
        display_name: "Brush",
        capabilities: ["images"],
        price: { mode: "per_image", unit_price: "0.04" },
        ...about(),
      },
      {
        id: "acme/reel-1",
        display_name: "Reel",
        capabilities: ["video"],
        price: { mode: "per_second", by_resolution: { "480p": "0.02", "720p": "0.05" } },
        video: { resolutions: ["480p", "720p"], default_resolution: "720p", max_seconds: 12 },
        ...about(),
      },
    ],
    plans: { pro: plan },
  };
}

/** Sets the value at a path such as `models.0.price.mode`; undefined removes it. */
export function set(json: unknown, path: string, value: unknown): unknown {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const parent = keys.reduce<Record<string, unknown>>(
    (node, key) => node[key] as Record<string, unknown>,
    json as Record<string, unknown>,
  );
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return json;
}
