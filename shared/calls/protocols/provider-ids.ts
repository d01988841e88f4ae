/** Where the ids of what a provider keeps stand, because organizations share an account there (provider-ids.md). */
import { GatewayError } from "../../base/errors.ts";
import { type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import { LongText } from "../../base/json/long-text.ts";

/** Where a member of a request is an id. */
export interface IdPlace {
  /** Only in objects that stand under one of these keys. Absent: anywhere. */
  within?: readonly string[];
  /** Only texts like this. Others are names that the vendor gives to everybody. */
  like?: RegExp;
  /** It is an address. One that everybody can read is no id. */
  address?: true;
}

export interface IdPlaces {
  /** By the name of the member, whose value is a text or a list of texts. */
  given: Readonly<Record<string, IdPlace>>;
  /** Members in which the words are the client's or the model's. Nothing in them is looked at. */
  words: ReadonlySet<string>;
  /** The table's spelling of a key, where the protocol has several. */
  spelled?: (key: string) => string;
  /** An object that the provider reads as it stands: it needs no look-up by its `id`. */
  isWhole?: (item: Fields) => boolean;
  /** What answers are looked through for, where the call may bring ids that a later request can use. */
  answers?: {
    /** Whether this call may. */
    mayBring: (body: Fields) => boolean;
    /** The members that are ids, with how an id begins where other members of that name are none. */
    names: readonly string[];
    begins?: string;
  };
}

/** Whether a request may have ids. `under` is the object's key. Every call pays for this, so look-ups are few. */
export function mayHaveIds(node: object, places: IdPlaces, under = ""): boolean {
  if (Array.isArray(node)) {
    for (const item of node) if (isNode(item) && mayHaveIds(item, places, under)) return true;
    return false;
  }
  for (const key in node) {
    const name = places.spelled?.(key) ?? key;
    const value = (node as Fields)[key];
    if (placeOf(places, name, under) && !isAbsent(value)) return true;
    // Only objects and lists can hold more, and most members are texts.
    if (isNode(value) && !places.words.has(name) && mayHaveIds(value, places, name)) return true;
  }
  return false;
}

/** What a member is where it stands under a key; undefined where it is no id. */
export function placeOf({ given }: IdPlaces, name: string, under: string): IdPlace | undefined {
  const place = Object.hasOwn(given, name) ? given[name] : undefined;
  return place?.within && !place.within.includes(under) ? undefined : place;
}

/** An object or a list. A long text stays in the bytes, and nothing stands in it. */
export function isNode(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof LongText);
}

/** Hosts and paths at which Google keeps the files of an account. */
const keptAt =
  /^(?:[\w.-]*\.)?(?:generativelanguage|aiplatform)\.googleapis\.com$|-aiplatform\.googleapis\.com$/i;
const keptPath = /^\/v\d\w*\/(?:files|fileSearchStores|cachedContents)\//i;

/** Whether an address names something that only the provider's account can read. */
export function isKept(address: string): boolean {
  if (/^data:/i.test(address)) return false;
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return true;
  const { hostname, pathname } = new URL(address);
  return keptAt.test(hostname) || keptPath.test(pathname);
}

/** Throws `invalid_request` where an address under `name` is kept by the provider for our account. */
export function refuseKept(address: string, name: string): void {
  if (isKept(address)) throw notGiven(name);
}

/** The error of an id that the caller was not given. OpenAI's clients know one of the codes, and begin anew. */
export function notGiven(name: string): GatewayError {
  const message = `\`${name}\` names nothing that this project was given. Ids of a provider go only to the organization and the project that they were given to. Send the content itself.`;
  const isAnswer = name === "previous_response_id";
  return new GatewayError("invalid_request", {
    message,
    param: name,
    ...(isAnswer && { names: { code: "previous_response_not_found" } }),
  });
}

const everywhere: IdPlace = {};
/** Members that are ids wherever they stand. */
const anywhere = (...names: string[]): Record<string, IdPlace> =>
  Object.fromEntries(names.map((name) => [name, everywhere]));

/** Words of the client and of the model, in the protocols of OpenAI and Anthropic. */
const ownWords = [
  "metadata",
  "parameters",
  "input_schema",
  "schema",
  "arguments",
  "attributes",
  "headers",
  "variables",
];

/** Items of Responses that are whole as they stand, beside results of tools and what is encrypted. */
const wholeItems = new Set<unknown>([
  "message",
  "additional_tools",
  "configuration_update",
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
]);

/** OpenAI Responses. The provider keeps answers and their items, and looks them up by their ids. */
export const responsesIds: IdPlaces = {
  given: {
    ...anywhere("id", "item_id", "previous_response_id", "comparison_response_id", "conversation"),
    ...anywhere("approval_request_id", "container", "container_id", "tunnel_id"),
    ...anywhere("file_id", "file_ids", "vector_store_ids"),
    skill_id: { like: /^skill_/ },
  },
  words: new Set(ownWords),
  isWhole: ({ type, role, encrypted_content }) =>
    wholeItems.has(type) ||
    (typeof type === "string" && type.endsWith("_output")) ||
    (isAbsent(type) && typeof role === "string") ||
    (!isAbsent(encrypted_content) && type !== "item_reference"),
  answers: {
    mayBring: () => true,
    names: [
      ...["id", "item_id", "response_id", "previous_response_id", "container_id", "file_id"],
      "approval_request_id",
    ],
  },
};

/** OpenAI chat, with Zhipu's knowledge bases. A sound that the model has said is kept for a later turn. */
export const chatIds: IdPlaces = {
  given: { ...anywhere("file_id", "file_ids", "knowledge_id"), id: { within: ["audio"] } },
  words: new Set(ownWords),
  answers: {
    mayBring: ({ modalities }) => Array.isArray(modalities) && modalities.includes("audio"),
    names: ["id"],
    begins: "audio_",
  },
};

/** Anthropic messages: its files, skills, and the containers in which its code runs. */
export const anthropicIds: IdPlaces = {
  given: {
    ...anywhere("file_id", "container", "previous_message_id"),
    id: { within: ["container"] },
    skill_id: { like: /^skill_/ },
  },
  // The arguments of a tool are the model's words.
  words: new Set([...ownWords, "input"]),
  answers: {
    mayBring: ({ tools }) =>
      Array.isArray(tools) &&
      tools.some(
        (tool) => isObject(tool) && typeof tool.type === "string" && tool.type.startsWith("code_execution"),
      ),
    names: ["id", "file_id"],
    begins: "(?:container|file)_",
  },
};

/** Gemini: files, caches and stores. Its answers bring no id that a later request can use. */
export const geminiIds: IdPlaces = {
  given: {
    fileUri: { address: true },
    ...anywhere("cachedContent", "fileSearchStoreNames", "datastore", "dataStore", "engine"),
    ...anywhere("ragCorpus", "ragCorpora", "ragFileIds", "previousInteractionId"),
  },
  words: new Set([
    "args",
    "response",
    "parameters",
    "parametersJsonSchema",
    "responseSchema",
    "responseJsonSchema",
  ]),
};

/** Edits of pictures, whose pictures and mask may be files. */
export const pictureIds: IdPlaces = { given: anywhere("file_id"), words: new Set() };

/** Embeddings of media, by their addresses. */
export const mediaIds: IdPlaces = { given: { url: { address: true } }, words: new Set() };
