/** The operator's commands on models of one's own: `model add` and `model remove`. */
import { dayOf } from "#shared/books/billing/period.ts";
import {
  type Catalog,
  isAmong,
  type ModelEntry,
  type Provider,
  protocolNames,
} from "#shared/books/catalog/catalog.ts";
import { isLoopback, isOnThisMachine } from "#shared/books/catalog/provider.ts";
import { CatalogError } from "#shared/books/catalog/schema.ts";
import { readAmount } from "#shared/books/prices/numbers.ts";
import { offerChanges, offerOf, offerOn } from "#shared/books/prices/offer.ts";
import { nameOf, ownModel, type PriceWish } from "#shared/edges/operator/own-model.ts";
import {
  applyChanges,
  type CatalogChange,
  type FileChange,
  withModel,
  withoutModel,
} from "../catalog/own-models.ts";
import { shortPath } from "../stage/stage-file.ts";
import { operatorBounds } from "./bounds.ts";
import {
  type CommandCall,
  type CommandGroup,
  type CommandOutcome,
  choice,
  command,
  count,
  flag,
  flagOf,
  needed,
} from "./command.ts";
import { awaitInForce } from "./model-in-force.ts";
import { modelNamed } from "./model-names.ts";
import { type ModelPlace, modelPlace } from "./model-place.ts";
import { listModels, showModel } from "./model-show.ts";

const tokens = count(operatorBounds.modelTokensMax);
const points = (text: string, name: string): string => {
  if (!readAmount(text)) throw new Error(`${name} takes a decimal, in points for a million tokens`);
  return text;
};

const addFlags = {
  like: needed(flag("MODEL", "a model of the catalog, whose abilities, sizes and traits it gets")),
  provider: needed(flag("NAME", "who runs it, such as vllm")),
  url: flag("URL", "the provider's base URL, as an SDK takes it; only for a provider that the catalog lacks"),
  protocol: choice(protocolNames, "what that URL speaks; openai if not given"),
  secret: flag(
    "NAME",
    "the name of the provider's key, such as VLLM_API_KEY, which it is called if not given",
  ),
  name: flag("NAME", "its name behind the provider's; that of --like if not given"),
  "upstream-model": flag("NAME", "its name at the provider; that of --like at its own if not given"),
  price: choice(["free", "like"], "what callers pay: nothing, or what they pay for the model of --like"),
  input: flagOf("POINTS", "what callers pay for a million tokens of input", points),
  output: flagOf("POINTS", "what callers pay for a million tokens of output", points),
  context: flagOf("TOKENS", "the largest input; that of --like if not given", tokens),
  "max-output": flagOf("TOKENS", "the longest answer; that of --like if not given", tokens),
};

const add = command({
  words: "model add",
  what: "adds a model of your own to the catalog, made after one that is there",
  more: "On the gateway of npm start it answers at once. On a stage the catalog's file changes, and the next deployment asks for its price. It gets no name of the other model, and its price only with --price like. Without a price, a model at an address of this machine costs nothing with --local; anywhere else a price must be said. A key is put by secret put.",
  flags: addFlags,
  examples: {
    "--local --like deepseek/deepseek-v4-pro --provider vllm --url http://127.0.0.1:8000/v1":
      "vllm/deepseek-v4-pro, which costs nothing",
    "--like groq/gpt-oss-120b --provider acme --url https://llm.acme.example/v1 --name oss --input 0.1 --output 0.4":
      "acme/oss on the stage prod, at a price of its own",
  },
  run: addModel,
});

async function addModel(call: CommandCall<typeof addFlags>): Promise<CommandOutcome> {
  const { flags } = call;
  const place = modelPlace(call);
  const { catalog } = place;
  const like = modelNamed(catalog, flags.like, "--like");
  const provider = providerOf(call, catalog);
  const isHere = isOnThisMachine(provider.provider);
  const price = priceOf(call, like, isHere);
  // Some give the provider before the name too.
  const before = `${flags.provider}/`;
  const name =
    (flags.name?.startsWith(before) ? flags.name.slice(before.length) : flags.name) ?? nameOf(like);
  const model = ownModel(
    {
      ...{ like, provider: flags.provider, name, price, now: Date.now() },
      upstream: flags["upstream-model"] ?? like.channels[0]?.model ?? name,
      context_tokens: flags.context,
      output_tokens: flags["max-output"],
    },
    catalog,
  );
  const change = changed(() => withModel(place, model, provider.isNew ? provider : undefined), model.id);
  const written = await write(place, change, { id: model.id, isThere: true });
  const { source } = model.price_source ?? {};
  const value = {
    model: model.id,
    like: like.id,
    provider: flags.provider,
    address: Object.values(provider.provider.protocols)[0],
    upstream_model: model.channels?.[0]?.model,
    price_is: source,
    ...written,
    ...nextSteps(call, provider, isHere),
  };
  return { value };
}

interface NamedProvider {
  name: string;
  provider: Omit<Provider, "auth">;
  isNew: boolean;
}

/** The provider that the flags name: one of the catalog, or a new one at the URL. */
function providerOf({ flags }: CommandCall<typeof addFlags>, catalog: Catalog): NamedProvider {
  const { provider: name, url, protocol = "openai", secret } = flags;
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name))
    throw new Error("--provider takes a name of small letters, digits, - and _, such as vllm");
  const known = Object.hasOwn(catalog.providers, name) ? catalog.providers[name] : undefined;
  if (!known) {
    if (url === undefined) throw new Error(`the catalog has no provider ${name}: --url says where it is`);
    const key = secret ?? `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`;
    return { name, provider: { protocols: { [protocol]: baseUrl(url) }, secret: key }, isNew: true };
  }
  for (const [flagName, given] of Object.entries({ url, protocol: flags.protocol, secret })) {
    if (given === undefined) continue;
    const own = flagName === "secret" ? known.secret : known.protocols[protocol];
    const wished = flagName === "url" ? baseUrl(given) : given;
    if (flagName === "protocol" ? own !== undefined : own === wished) continue;
    throw new Error(
      `the catalog has a provider ${name} already, at ${Object.values(known.protocols)[0]}: leave --${flagName} out, or give another --provider, such as ${name}-2`,
    );
  }
  return { name, provider: known, isNew: false };
}

/** A base URL without a slash at its end. Throws for one that no provider may have, and says what to do. */
function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`--url ${text} is no URL: give one such as http://127.0.0.1:8000/v1`);
  if (url.protocol === "http:" && !isLoopback(text))
    throw new Error(
      `--url ${text} would send keys and prompts unencrypted: http is for this machine alone. Put TLS before ${url.hostname} and give https, or a tunnel such as ssh -L 8000:127.0.0.1:8000 ${url.hostname} and give http://127.0.0.1:8000`,
    );
  if (url.username || url.password || url.search || url.hash)
    throw new Error("--url takes an address alone: a key is put by secret put");
  return text.endsWith("/") ? text.slice(0, -1) : text;
}

/** What callers pay. Nobody gets a model for nothing, or at another's price, because nothing was said. */
function priceOf(
  { flags, where }: CommandCall<typeof addFlags>,
  like: ModelEntry,
  isHere: boolean,
): PriceWish {
  const { price, input, output } = flags;
  if (price !== undefined && (input ?? output) !== undefined)
    throw new Error("give either --price or --input and --output");
  if (input !== undefined && output !== undefined) return { input, output };
  if ((input ?? output) !== undefined) throw new Error("--input and --output go together");
  if (price === "like") return price;
  if (price === "free") return { free: "free, as its operator says" };
  if (where.local && isHere) return { free: "free, because it runs on this machine" };
  throw new Error(
    `say what callers pay: --input and --output in points for a million tokens, --price like for the price of ${like.id}, or --price free`,
  );
}

/** Says which model the problems of a change are of. Nothing is written then. */
function changed(change: () => CatalogChange, id: string): CatalogChange {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const problems = error.problems.map((each) => each.replace(/^models\[\d{1,9}\]\./, ""));
    throw new Error(`${id} cannot be in the catalog, and nothing was written:\n${problems.join("\n")}`, {
      cause: error,
    });
  }
}

/** Writes a change, and waits until the running gateway has it, if there is one. */
async function write(
  place: ModelPlace,
  { changes, after }: CatalogChange,
  wished: { id: string; isThere: boolean },
) {
  const all: FileChange[] = [...changes, ...place.besides];
  applyChanges(all);
  const offerToday = (catalog: Catalog) => offerOn(offerOf(catalog), dayOf(Date.now()));
  const prices = offerChanges(offerToday(place.catalog), offerToday(after));
  if (place.inForce !== undefined) await awaitInForce(place.inForce, wished);
  return {
    written: all.flatMap(({ file, text }) => (text === undefined ? [] : [shortPath(file)])),
    ...(changes.some(({ text }) => text === undefined) && {
      removed: changes.flatMap(({ file, text }) => (text === undefined ? [shortPath(file)] : [])),
    }),
    in_force: place.inForce !== undefined,
    changes: prices,
  };
}

/** What is left to do, in the order in which it is done. */
function nextSteps(
  { where, catalogFile }: CommandCall<typeof addFlags>,
  { provider }: NamedProvider,
  isHere: boolean,
) {
  const { secret } = provider;
  const place = where.local ? "--local " : where.stage === "prod" ? "" : `--stage ${where.stage} `;
  const put = `npm run -s operator -- ${place}secret put ${secret}`;
  const until = where.local
    ? "until its key is set, the demo provider plays it"
    : "if its key is not set yet";
  const key = secret === undefined || (where.local && isHere) ? [] : [`${put} (${until})`];
  const deploy =
    where.local || catalogFile !== undefined ? [] : [`npm run deploy -- -c stage=${where.stage}`];
  const next = [...key, ...deploy];
  return next.length > 0 ? { next } : {};
}

const remove = command({
  words: "model remove",
  what: "takes a model of your own out of the catalog, and its provider with its last model",
  more: "It refuses a model that other parts of the catalog name: a plan alone, or the cache. What was called with it stays in the books at its price.",
  operands: [
    { name: "MODEL", what: "the model's id", missing: "give the model's id; model list shows them" },
  ],
  examples: { "--local vllm/deepseek-v4-pro": "from the next call on it is not found" },
  async run(call) {
    const wanted = call.operand;
    const place = modelPlace(call);
    const { id, aliases } = modelNamed(place.catalog, wanted, "model remove");
    if (id !== wanted) throw new Error(`${wanted} is another name of ${id}: give that one to take it out`);
    refuseNamed(place.catalog, id);
    const change = changed(() => withoutModel(place, id), id);
    const written = await write(place, change, { id, isThere: false });
    return { value: { model: id, aliases, ...written } };
  },
});

/** Throws where something of the catalog needs the model. */
function refuseNamed({ cache, models, plans }: Catalog, id: string): void {
  const others = models.filter((model) => model.id !== id);
  const uses = Object.entries(cache ?? {}).find(([, model]) => model === id);
  if (uses) throw new Error(`${id} is the cache's ${uses[0]}: name another one in "cache" first`);
  const isOnly = (pattern: string) =>
    isAmong(id, [pattern]) && !others.some((other) => isAmong(other.id, [pattern]));
  for (const [plan, { models: patterns }] of Object.entries(plans)) {
    const alone = patterns.find((pattern) => pattern !== "*" && isOnly(pattern));
    if (alone !== undefined)
      throw new Error(`the plan ${plan} names it as ${alone}, and no other model: change the plan first`);
  }
}

export const models: CommandGroup = { title: "Models", commands: [add, listModels, showModel, remove] };
