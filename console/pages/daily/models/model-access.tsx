/** Who pays for calls of a model: the list of models and a model's own page say it. */
import type { Model } from "../../../api-types.ts";
import { accessOf, type Payer } from "../../../model-search.ts";
import { Badge } from "../../../parts/badge.tsx";
import { account } from "../../../session.ts";

/** What pays in the reader's organization. */
export function payer(): Payer {
  const { plan, wallet } = account.value ?? {};
  return { plan: plan?.plan, wallet: Boolean(wallet) };
}

const accessLooks = { plan: "good", permission: "warn", none: "warn" } as const;

/** That the reader's plan has the model, or that nothing pays for its calls. A wallet pays for all, which needs no word. */
export function AccessBadge({
  words,
  model,
}: {
  words: Pick<typeof import("./en.ts").words, "access">;
  model: Model;
}) {
  const access = accessOf(model, payer());
  if (access === "wallet") return null;
  return <Badge look={accessLooks[access]}>{words.access[access]}</Badge>;
}
