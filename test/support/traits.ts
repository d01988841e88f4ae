/** The default catalog's models with what they take, and each protocol's room to make a body fit them. */
import { rules, type Vendor } from "#infra/local/demo/strictness.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { type Traits, traitsAt } from "#shared/books/catalog/traits.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { crossings } from "./crossings.ts";

type Json = Record<string, unknown>;

export const defaultCatalog = catalogFile as unknown as Catalog;

/** The protocols whose bodies can be made to fit. */
export const rooms = ["openai-chat", "anthropic", "gemini", "openai-responses"] as const;
export type Room = (typeof rooms)[number];

/** The name that the catalog's providers have for each room's protocol. */
const bases: Record<Room, string> = {
  "openai-chat": "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  "openai-responses": "responses",
};

/** A model of the default catalog in a protocol that its provider speaks. */
export interface Spoken {
  id: string;
  /** The provider's name for it. */
  name: string;
  room: Room;
  vendor: Vendor;
  traits: Traits;
}

const vendors: Record<string, Vendor> = { zhipu: "zhipu", volcengine: "ark", minimax: "minimax" };

/** Every chat model of the default catalog in every protocol its first provider speaks. */
export const spoken: Spoken[] = defaultCatalog.models
  .filter(({ capabilities }) => capabilities.includes("chat"))
  .flatMap((model) => {
    const [channel] = model.channels;
    const provider = channel && defaultCatalog.providers[channel.provider];
    if (!provider) return [];
    const traits = traitsAt(model, provider);
    return rooms
      .filter((room) => Object.hasOwn(provider.protocols, bases[room]))
      .map((room) => {
        const own = { "openai-chat": "openai", "openai-responses": "responses" } as const;
        const vendor =
          vendors[channel.provider] ??
          (room === "openai-chat" && Object.hasOwn(rules, channel.provider)
            ? (channel.provider as Vendor)
            : ((own as Record<string, Vendor>)[room] ?? (room as Vendor)));
        return { id: model.id, name: channel.model, room, vendor, traits };
      });
  });

/** What the vendors' rules go by: what a model takes, and the beginning of its name. */
const familyOf = ({ name, room, vendor, traits }: Spoken): string =>
  JSON.stringify([room, vendor, name.replace(/\d.*/, ""), traits]);

/** One of all that take the same, so that a law costs what the families cost, however many models there are. */
export const families: Spoken[] = [
  ...new Map(spoken.reverse().map((each) => [familyOf(each), each])).values(),
].reverse();

/** What holds for a model of the default catalog. */
export function traitsOf(id: string): Traits {
  const found = spoken.find((each) => each.id === id);
  if (!found) throw new Error(`no model ${id}`);
  return found.traits;
}

/** A body made to fit in a room, with the protocol's own names of what was changed. */
export function fitted(
  room: Room,
  body: Json,
  traits: Traits,
): { body: Json; own: string[]; neutral: string[] } {
  const { body: fit, changes } = crossings[room].fitRequest(body, traits);
  return {
    body: fit,
    own: changes.map(({ own }) => own),
    neutral: changes.flatMap(({ neutral }) => neutral ?? []),
  };
}

/** The default catalog with every provider at one address, which plays them all. */
export function catalogAt(url: string): Catalog {
  const paths: Record<string, string> = { anthropic: "", gemini: "" };
  const providers = Object.entries(defaultCatalog.providers).map(([name, provider]) => {
    const protocols = Object.keys(provider.protocols).map((base) => [base, url + (paths[base] ?? "/v1")]);
    return [name, { ...provider, protocols: Object.fromEntries(protocols) }];
  });
  return { ...defaultCatalog, providers: Object.fromEntries(providers) };
}
