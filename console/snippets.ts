/** Which programs of which SDKs call a model: those of sdk-programs.ts, with an address and a model in them. */
import { families, type ProgramKind, programKinds, type SdkProtocol, type Snippet } from "./sdk-programs.ts";

export interface SdkFamily {
  name: string;
  protocol: SdkProtocol;
  baseUrl: string;
  snippets: Snippet[];
}

/** What the choice of a model looks at: the console's list of models has these members, and the catalog too. */
interface ProgramModel {
  id: string;
  capabilities: readonly string[];
  /** Those that its providers speak. */
  protocols: readonly string[];
  /** What an organization must have been given before it may use the model. Null: nothing. */
  permission: string | null;
  /** The plans whose keys may use it. */
  plans: readonly string[];
}

/** The models to chat with that a key may call: one of a plan those of the plan, and one of the wallet all of them. */
export function callableModels<Model extends ProgramModel>(
  models: readonly Model[],
  plan: string | undefined,
): Model[] {
  return models.filter(
    ({ capabilities, permission, plans }) =>
      capabilities.includes("chat") && !permission && (plan === undefined || plans.includes(plan)),
  );
}

/** The id of the first model that the key may call, rather one of the protocol's. Without a plan the wallet pays. */
export function programModel(
  models: readonly ProgramModel[],
  plan: string | undefined,
  protocol: SdkProtocol,
): string | undefined {
  const callable = callableModels(models, plan);
  return (callable.find(({ protocols }) => protocols.includes(protocol)) ?? callable[0])?.id;
}

/** The families. `modelFor` gives each one's model. A family has snippets in languages that can ask for `kind`. */
export function sdkFamilies(
  url: string,
  modelFor: (protocol: SdkProtocol) => string,
  prompt = "Say hello.",
  kind: ProgramKind = "chat",
): SdkFamily[] {
  return families.map(([name, protocol, path, snippetsOf]) => {
    const baseUrl = url + path;
    const asked = {
      baseUrl,
      model: JSON.stringify(modelFor(protocol)),
      prompt: JSON.stringify(prompt),
      kind,
    };
    return { name, protocol, baseUrl, snippets: snippetsOf(asked) };
  });
}

/** The families that call one model: all where it chats, else those whose protocol its providers speak. */
export function familiesFor(
  url: string,
  { id, capabilities, protocols }: Pick<ProgramModel, "id" | "capabilities" | "protocols">,
): SdkFamily[] {
  const kind = programKinds.find((each) => capabilities.includes(each));
  if (!kind) return [];
  const prompt = kind === "images" || kind === "video" ? "A cat in the rain." : undefined;
  return sdkFamilies(url, () => id, prompt, kind).filter(
    ({ protocol, snippets }) => snippets.length > 0 && (kind === "chat" || protocols.includes(protocol)),
  );
}

/** What installs a snippet's package. */
export function installOf({ language, package: name }: Snippet): string {
  return `${language === "Python" ? "pip" : "npm"} install ${name}`;
}
