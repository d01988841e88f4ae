/** What a client is told of a refusal (400, 413, 422): a redacted message, and names as `refusal-codes.ts` has them. */
import { GatewayError, type ProviderNames } from "../../base/errors.ts";
import { asText, type Fields, isObject } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { namesOf, type ProviderError, readProviderError } from "./provider-error.ts";
import { type Confidential, redact, safeCode, safeParam } from "./redaction.ts";
import { isNameOf, recognise, spokenIn, type VendorForm } from "./refusal-codes.ts";

const clientFaults = new Set([400, 413, 422]);

/** Whether a status says that the request itself is wrong, whichever provider it is sent to. */
export function blamesRequest(status: number): boolean {
  return clientFaults.has(status);
}

/** Whose form a refusal came in, and whose it is told in. */
export interface RefusalSides {
  client: VendorForm;
  /** Undefined: a form that no client reads. */
  provider: VendorForm | undefined;
  /** The request was not translated, so its fields have the client's names. */
  same_fields: boolean;
}

/** A provider's refusal as our error, without anything `confidential`. Without `sides` it has our own names alone. */
export function requestRefused(
  body: Buffer,
  confidential: Confidential,
  status = 400,
  sides?: RefusalSides,
): GatewayError {
  const error = readProviderError(body);
  const { names, begins } = sides ? told(error, confidential, status, sides) : {};
  const said = redact(error.message ?? "The model's provider refused the request.", confidential);
  const upstream_code = shown(error.code ?? error.status ?? error.type, confidential);
  const param = sides?.same_fields ? shown(error.param, confidential, safeParam) : undefined;
  return new GatewayError("invalid_request", {
    message: begin(begins, said),
    ...(upstream_code !== undefined && { upstream_code }),
    ...(param !== undefined && { param }),
    ...(names && { names }),
  });
}

interface RefusalWords {
  names?: ProviderNames;
  begins?: string;
}

/** The names and the beginning of the message that the client is told, in place of ours. */
function told(
  error: ProviderError,
  confidential: Confidential,
  status: number,
  { client, provider, same_fields }: RefusalSides,
): RefusalWords {
  const recognised = recognise(namesOf(error), error.message, status);
  const { begins, ...spoken } = (recognised && spokenIn(client, recognised)) ?? {};
  if (client !== provider) {
    if (Object.keys(spoken).length === 0) return {};
    return { names: spoken, ...(begins !== undefined && { begins }) };
  }
  const own = ownNames(error, confidential);
  const { code } = spoken;
  // Servers that only imitate OpenAI often leave out a code that OpenAI has. Of an error whose words clients read, they
  // may have a code of their own, which nobody knows who asked in another protocol.
  const isOdd = !same_fields && recognised && begins !== undefined && !isNameOf(recognised.meaning, own.code);
  const names = code !== undefined && (own.code === undefined || isOdd) ? { ...own, code } : own;
  return Object.keys(names).length > 0 ? { names } : {};
}

/** The provider's own names of its error, if they may be shown. */
function ownNames(error: ProviderError, confidential: Confidential): ProviderNames {
  const [code, type, status] = [error.code, error.type, error.status].map((name) =>
    shown(name, confidential),
  );
  const details = error.details
    .slice(0, detailsMax)
    .flatMap((detail) => safeDetail(detail, confidential) ?? []);
  return {
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(status !== undefined && /^[A-Z_]+$/.test(status) && { status }),
    ...(details.length > 0 && { details }),
  };
}

const detailsMax = 10;

/** Those of Google's details that tell the reason, or which fields are wrong. The others may name our project. */
function safeDetail(detail: Fields, confidential: Confidential): object | undefined {
  const type = asText(detail["@type"]);
  if (type === "type.googleapis.com/google.rpc.ErrorInfo") {
    const reason = shown(detail.reason, confidential);
    return reason === undefined ? undefined : { "@type": type, reason };
  }
  if (type !== "type.googleapis.com/google.rpc.BadRequest" || !Array.isArray(detail.fieldViolations))
    return undefined;
  const fieldViolations = detail.fieldViolations
    .filter(isObject)
    .slice(0, detailsMax)
    .map(({ field, description }) => ({
      field: shown(field, confidential, safeParam) ?? "",
      description: redact(typeof description === "string" ? description : "", confidential),
    }));
  return { "@type": type, fieldViolations };
}

function shown(name: unknown, confidential: Confidential, safe = safeCode): string | undefined {
  return typeof name === "string" ? safe(name, confidential) : undefined;
}

/** A message that begins as clients expect. One that does so already stays as it is. */
function begin(begins: string | undefined, said: string): string {
  if (begins === undefined || said.startsWith(begins.replace(/\.$/, ""))) return said;
  const sentence = /[.。]$/.test(begins) ? begins : `${begins}.`;
  return `${sentence} The provider says: ${said}`.slice(0, limits.errorMessageBytesMax).toWellFormed();
}
