/** The port of a credential: what shows a provider who calls. */
import type { AwsOptions } from "../../../base/platform/aws.ts";
import type { IncomingReply, OutgoingRequest, Send } from "../../../base/platform/http-call.ts";

/** A request that nobody has authorized yet. */
type Unauthorized = Pick<OutgoingRequest, "method" | "url" | "headers" | "body">;

/** What makes a request one of ours. */
interface Authorized {
  /** They are added to those of the request. */
  headers: Record<string, string>;
  /** What of them, and of what they were made of, nobody may read in an answer. */
  confidential: readonly string[];
  /** Told of an answer with 401 or 403. Where it says that we are not known, what was kept for it is obtained anew. */
  refused?: (reply: Pick<IncomingReply, "status" | "headers">) => void;
}

/** Authorizes one request. Throws or rejects with `ProviderFault` where the credential cannot be had. */
export type Authorize = (request: Unauthorized) => Authorized | Promise<Authorized>;

/** What the kinds of the clouds need of their process. */
export interface CloudDeps {
  /** The role of the process. */
  aws: Pick<AwsOptions, "region" | "credentials">;
  /** Where AWS's token service is asked; the region's own address if absent. */
  sts?: string | undefined;
  send: Send;
  now: () => number;
}

/** Makes what authorizes a provider's requests, by what the catalog tells its kind and by its key, if it has one. */
export type CloudKind<Told> = (told: Told, key: string | undefined, deps: CloudDeps) => Authorize;
