/** What of a catalog is called at Amazon Bedrock by a role of AWS: for the grants of a stage, and for `doctor`. */
import type { Catalog, Provider } from "#shared/books/catalog/catalog.ts";
import type { AwsRole } from "#shared/books/catalog/credential.ts";

/** One model at one address of Bedrock. */
export interface BedrockModel {
  /** Bedrock Runtime, or the address of Bedrock that speaks the vendors' protocols. */
  service: "bedrock" | "bedrock-mantle";
  /** The region whose address is called; undefined for the stage's own. */
  region: string | undefined;
  /** The name of a model, of an inference profile, or an ARN. */
  model: string;
  /** The role that is assumed for it; undefined where the gateway's own calls it. */
  role: string | undefined;
  /** Whether clients can have its tokens counted there. */
  counts: boolean;
}

/** What a catalog says of providers and models. */
export type CalledCatalog = Pick<Catalog, "providers" | "models" | "cache">;

/** What the models of a catalog call at Bedrock by a role, each once. `wanted` chooses among the models by their ids. */
export function bedrockModels(
  { providers, models }: CalledCatalog,
  wanted: (id: string) => boolean = () => true,
): BedrockModel[] {
  const channels = models.filter(({ id }) => wanted(id)).flatMap((entry) => entry.channels);
  const all = channels.flatMap(({ provider: name, model }) => {
    const provider = providers[name];
    return provider ? placesOf(provider).map((place) => ({ ...place, model })) : [];
  });
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/** The roles that a catalog's providers assume. */
export function rolesAssumed({ providers }: Pick<Catalog, "providers">): string[] {
  const roles = Object.values(providers).flatMap((provider) => roleOf(provider) ?? []);
  return [...new Set(roles)];
}

/** Those of them whose sessions tell the organization. */
export function rolesTagged({ providers }: Pick<Catalog, "providers">): string[] {
  const tagged = Object.values(providers).filter(
    ({ auth, credential }) => auth === "aws_role" && "session_tags" in (credential ?? {}),
  );
  return rolesAssumed({ providers: Object.fromEntries(tagged.map((provider, at) => [at, provider])) });
}

const address =
  /^https:\/\/(?<name>bedrock-runtime|bedrock-runtime-fips|bedrock-mantle)\.(?<region>\{region\}|[a-z\d-]+)\./;

/** The addresses of Bedrock that a provider is called at by a role. */
function placesOf(provider: Provider): Omit<BedrockModel, "model">[] {
  if (provider.auth !== "aws_role") return [];
  const role = roleOf(provider);
  return Object.entries(provider.protocols).flatMap(([protocol, url]) => {
    const { name, region } = address.exec(url)?.groups ?? {};
    if (name === undefined) return [];
    return {
      service: name === "bedrock-mantle" ? ("bedrock-mantle" as const) : ("bedrock" as const),
      region: region === "{region}" ? undefined : region,
      role,
      counts: name !== "bedrock-mantle" && protocol === "anthropic",
    };
  });
}

function roleOf({ auth, credential }: Pick<Provider, "auth" | "credential">): string | undefined {
  return auth === "aws_role" ? (credential as AwsRole | undefined)?.role_arn : undefined;
}
