/**
 * What the first visit to a local console brings about: the demo account, and for a browser some calls of it. A start that
 * nobody visits does without both.
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Catalog } from "#shared/catalog/catalog.ts";
import type { Aws } from "#shared/platform/aws.ts";
import type { Observer } from "./observer.ts";
import type { Endpoints } from "./ready-file.ts";

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

/**
 * What is told of each request before the console answers it. It resolves when the demo account is there. The calls are made
 * meanwhile. The disposal of `parts` ends them.
 */
export function onFirstVisit(
  visit: VisitParts,
  parts: AsyncDisposableStack,
  { warn }: Pick<Observer, "warn">,
): (event: unknown) => Promise<void> {
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  let account: Promise<string | undefined> | undefined;
  let isVisited = false;
  return async (event) => {
    account ??= openAccount(visit).catch((error: unknown) => {
      warn(error);
      return undefined;
    });
    const key = await account;
    if (isVisited || key === undefined || !isPage(event as APIGatewayProxyEventV2)) return;
    isVisited = true;
    call(key, visit, ending.signal).catch((error: unknown) => {
      if (!ending.signal.aborted) warn(error);
    });
  };
}

/** Whether a browser opens a page. Programs are left alone: calls of others would be in their way. */
function isPage({ headers, requestContext }: APIGatewayProxyEventV2): boolean {
  return requestContext.http.method === "GET" && (headers.accept ?? "").includes("text/html");
}

async function openAccount(visit: VisitParts): Promise<string | undefined> {
  const { openDemoAccount } = await import("./demo/account.ts");
  const { aws, endpoints, secrets, catalog } = visit;
  return await openDemoAccount({
    ...{ aws, tables: endpoints.tables, plans: catalog.plans },
    pepper: secrets.get(endpoints.pepperSecretArn) ?? "",
    accountsSecret: secrets.get(endpoints.accountsSecretArn) ?? "",
  });
}

async function call(key: string, { catalog, played, gatewayUrl }: VisitParts, signal: AbortSignal) {
  const { demoModels, sendDemoTraffic } = await import("./demo/traffic.ts");
  await sendDemoTraffic({ url: gatewayUrl(), key, models: demoModels(catalog, played), signal });
}
