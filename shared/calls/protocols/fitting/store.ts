import type { Draft } from "./draft.ts";

/** Takes `store` out for a provider that keeps no answers. Nothing is lost where nothing was to be kept. */
export function fitStore(draft: Draft, takes: boolean | undefined): void {
  if (takes !== false) return;
  if (draft.at("store") === true) draft.name("store", "store");
  draft.set("store", undefined);
}
