/** What the first visit to a console brings about: the demo account, and for a browser some calls of it. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type { Endpoints } from "../stack/ready-file.ts";
import type { Observer } from "./observer.ts";

interface VisitParts {
  aws: Aws;
  endpoints: Pick<Endpoints, "tables" | "pepperSecretArn" | "accountsSecretArn">;
  /** The secrets' texts by their ARNs. */
  secrets: ReadonlyMap<string, string>;
  catalog: Catalog;
  /** The providers that the demo provider plays. */
  played: readonly string[];
  gatewayUrl: () => string;
}

/** How long the pages of usage wait for the first call, milliseconds. They show later ones by themselves. */
const countedMs = 20_000;

/**
 * Told of each request before the console answers it. It resolves when the demo account is there, and for what shows
 * usage when its first call is counted. The disposal of `parts` ends the calls.
 */
export function onFirstVisit(
  visit: VisitParts,
  parts: AsyncDisposableStack,
  { warn }: Pick<Observer, "warn">,
): (event: unknown) => Promise<void> {
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  const tell = (error: unknown) => {
    if (!ending.signal.aborted) warn(error);
  };
  let account: Promise<string | undefined> | undefined;
  let counted: Promise<void> | undefined;
  return async (event) => {
    const request = event as APIGatewayProxyEventV2;
    account ??= openAccount(visit).catch((error: unknown) => {
      warn(error);
      return undefined;
    });
    const key = await account;
    if (key !== undefined && isPage(request)) counted ??= call(key, visit, ending.signal, tell);
    if (showsUsage(request)) await counted;
  };
}

/** Whether a browser opens a page. Programs are left alone: calls of others would be in their way. */
function isPage({ headers, requestContext }: APIGatewayProxyEventV2): boolean {
  return requestContext.http.method === "GET" && (headers.accept ?? "").includes("text/html");
}

const showsUsage = ({ rawPath }: APIGatewayProxyEventV2) => /^\/api\/v1\/(?:usage|calls)\b/.test(rawPath);

async function openAccount(visit: VisitParts): Promise<string | undefined> {
  const { openDemoAccount } = await import("../sandbox/account.ts");
  const { aws, endpoints, secrets, catalog } = visit;
  return await openDemoAccount({
    ...{ aws, tables: endpoints.tables, plans: catalog.plans },
    pepper: secrets.get(endpoints.pepperSecretArn) ?? "",
    accountsSecret: secrets.get(endpoints.accountsSecretArn) ?? "",
  });
}

/** Begins the calls. Resolves when the first of them is counted, or will not be soon. */
async function call(
  key: string,
  { catalog, played, gatewayUrl }: VisitParts,
  signal: AbortSignal,
  tell: (error: unknown) => void,
): Promise<void> {
  const { demoModels, sendDemoTraffic, untilCounted } = await import("../sandbox/traffic.ts");
  const models = demoModels(catalog, played);
  if (models.length === 0) return;
  const url = gatewayUrl();
  const enough = new AbortController();
  const soon = AbortSignal.any([signal, enough.signal, AbortSignal.timeout(countedMs)]);
  void sendDemoTraffic({ url, key, models, signal }).catch((error: unknown) => {
    tell(error);
    enough.abort();
  });
  await untilCounted({ url, key, signal: soon }).catch(() => undefined);
}
