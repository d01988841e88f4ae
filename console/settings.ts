/** What the stage says of itself, in index.html (shared/edges/console/assets.ts). */
import type { ConsoleSettings } from "../shared/edges/console/settings.ts";

const given = document.querySelector<HTMLMetaElement>('meta[name="settings"]')?.content;

export const settings: ConsoleSettings = {
  gateway_url: "",
  kinds: ["phone"],
  countries: ["+86"],
  registration: "open",
  ...(given ? (JSON.parse(given) as Partial<ConsoleSettings>) : {}),
};
