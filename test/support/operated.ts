/**
 * A catalog for an operator's day: a model with two channels, a video model that the demo provider plays, and points that
 * can be bought.
 */
import { channelId } from "#shared/books/catalog/channel-id.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { catalogAt } from "./money.ts";
import { runCatalog, videoModel } from "./video-run.ts";

interface Models {
  providers: Record<string, { protocols: Record<string, string> }>;
  models: { id: string; channels: { provider: string; model: string; priority?: number }[] }[];
}

/** What the model's second channel is called, and where its calls go to below the address of the first. */
export const backup = "backup";

/** The catalog of the money tests at `url`, whose `test/model-1` goes to `backup`, at a cost, where `test` fails. */
export function operatedCatalog(url: string): object {
  const base = catalogAt(url) as Models;
  const videos = runCatalog() as unknown as Models;
  const { test } = base.providers;
  if (!test) throw new Error("the catalog has no provider test");
  const protocols = Object.fromEntries(
    Object.entries(test.protocols).map(([name, base_url]) => [
      name,
      base_url.replace(url, `${url}/${backup}`),
    ]),
  );
  const cost = { input: "0.02", output: "0.08" };
  const second = { provider: backup, model: "backup-model", priority: 2, cost };
  return {
    ...base,
    currency: { code: "CNY", points_per_unit: catalogFile.recharge.CNY.points_per_unit },
    recharge: catalogFile.recharge,
    providers: {
      ...base.providers,
      [backup]: { ...test, protocols },
      volcengine: videos.providers.volcengine,
    },
    models: [
      ...base.models.map((model) =>
        model.id === "test/model-1" ? { ...model, channels: [...model.channels, second] } : model,
      ),
      ...videos.models.filter(({ id }) => id === videoModel),
    ],
  };
}

/** The same catalog with prices a tenth higher. */
export function dearerCatalog(url: string): object {
  const base = operatedCatalog(url) as Models;
  const models = base.models.map((model) => ({ ...model, discount_rate: "1.1" }));
  return { ...base, version: "dearer", models };
}

/** The first channel of `test/model-1`. */
const first = channelId("test", "upstream-model", "TEST_API_KEY");

/** A channel is looked at, taken out and brought back, before any call. */
export const channelLines: readonly string[] = [
  "channel list --model test/model-1",
  `channel leave ${first} --why 'wrong answers, ticket 4711' --dry-run`,
  `channel leave ${first} --why 'wrong answers, ticket 4711' --for 12h`,
  "channel list --out",
  `channel return ${first}`,
  `channel show ${first}`,
];

/** The catalog is checked, and a model of one's own comes and goes. */
const modelLines: readonly string[] = [
  "catalog check catalog.json",
  "model add --like test/model-1 --provider vllm --url http://127.0.0.1:8000/v1 --upstream-model acme/model-1-awq",
  "model list --like model-1",
  "model show vllm/model-1",
  "model remove vllm/model-1",
];

/** A model of one's own and a token of the operators' API come and go, by lines that are typed. */
export async function comeAndGo(type: (line: string) => Promise<string>): Promise<void> {
  for (const line of modelLines) await type(line);
  const made = await type("token make --name 'Ann, finance' --for ann@example.com --scope finance --days 30");
  await type("token list");
  await type(`token revoke ${/^id: (.*)$/m.exec(made)?.[1]}`);
}
