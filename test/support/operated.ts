/**
 * A catalog for an operator's day: a model with two channels, a video model that the demo provider plays, and points that
 * can be bought.
 */
import { catalogFile } from "#test/support/default-catalog.ts";
import { catalogAt } from "./money.ts";
import { runCatalog, videoModel } from "./video-run.ts";

interface Models {
  providers: Record<string, { protocols: Record<string, string> }>;
  models: { id: string; channels: { provider: string; model: string; priority?: number }[] }[];
}

/** What the model's second channel is called, and where its calls go to below the address of the first. */
export const backup = "backup";

/** The catalog of the money tests at `url`, whose `test/model-1` goes to `backup` where `test` fails. */
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
  const second = { provider: backup, model: "backup-model", priority: 2 };
  return {
    ...base,
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

/** A model of one's own comes and goes. */
export const modelLines: readonly string[] = [
  "model add --like test/model-1 --provider vllm --url http://127.0.0.1:8000/v1 --upstream-model acme/model-1-awq",
  "model list --like model-1",
  "model show vllm/model-1",
  "model remove vllm/model-1",
];
