/** Reads the error object of a provider's answer, in any vendor's form. */
import { asText, type Fields, isObject, objectsOf } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { eventName } from "../../base/sse/event-name.ts";
import { frameObject } from "../../base/sse/frames.ts";

/** An error answer as it came. None of it may be shown before it is redacted. */
export interface ProviderError {
  message?: string;
  /** A code, as text. A number that is an HTTP status is left out. */
  code?: string;
  /** The HTTP status that the code is. An error inside of a 200 says by it which status it would have had. */
  http_status?: number;
  type?: string;
  /** Google's name of the status. */
  status?: string;
  param?: string;
  details: readonly Fields[];
}

const nothing: ProviderError = { details: [] };

/** Reads an error answer. One that is not JSON, or far too long, gives nothing. */
export function readProviderError(body: Buffer): ProviderError {
  const error = errorOf(body);
  if (!error) return nothing;
  const { code, reason, type, status, details } = error;
  const { message, param } = { param: error.param, ...wordsOf(error) };
  return {
    ...(typeof message === "string" && message !== "" && { message }),
    ...codeOf(code),
    // Novita's code is the status, and its reason names the error.
    ...(typeof reason === "string" && typeof code !== "string" && { code: reason }),
    // A flat error event of Responses is of the type `error`, which names nothing.
    ...(typeof type === "string" && type !== "error" && { type }),
    ...(typeof status === "string" && { status }),
    ...(typeof param === "string" && param !== "" && { param }),
    details: Array.isArray(details) ? details.filter(isObject) : [],
  };
}

/**
 * The error that a frame reports, as JSON. Responses has it in the response. Google writes it between frames. AWS names
 * the event after the error.
 */
export function errorInFrame(frame: Buffer): Buffer {
  const event = frameObject(frame);
  if (!event) return frame;
  const { response } = event;
  const body = Buffer.from(JSON.stringify(isObject(response) && isObject(response.error) ? response : event));
  const name = eventName(frame);
  return name.endsWith("Exception") ? withAwsName(body, name) : body;
}

/** The header in which AWS names an error, mostly with an address behind a colon. */
export const awsNameHeader = "x-amzn-errortype";

/** An error answer with the name that AWS gave it elsewhere, as its type; unchanged where there is none. */
export function withAwsName(body: Buffer, header: unknown): Buffer {
  const [name = ""] = asText(header).split(":");
  if (name === "") return body;
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  return Buffer.from(JSON.stringify({ ...errorOf(body), type }));
}

/** All names of an error: its code, type, status and reasons. */
export function namesOf({ code, type, status, details }: ProviderError): string[] {
  const reasons = details.map(({ reason }) => reason);
  return [code, type, status, ...reasons].filter((name) => typeof name === "string");
}

/** Whether a name is among known ones: whole, or by a pattern. */
export function isOneOf(name: string | undefined, known: readonly (string | RegExp)[]): boolean {
  return known.some((each) => (typeof each === "string" ? each === name : each.test(name ?? "")));
}

/** What Bedrock writes in front of what its model's maker says. */
const passedOn = "The model returned the following errors: ";

/**
 * What an error says. Servers with pydantic list each fault with its place, which Mistral puts into the message. AWS
 * writes some of its own with a capital.
 */
function wordsOf({ message, Message, error, detail }: Fields): { message?: unknown; param?: unknown } {
  const text = [message, Message, error, detail].find((each) => typeof each === "string");
  if (typeof text === "string")
    return { message: text.startsWith(passedOn) ? text.slice(passedOn.length) : text };
  const [fault] = [isObject(message) ? message.detail : message, detail].flatMap(objectsOf);
  if (!fault || typeof fault.msg !== "string") return {};
  const place = Array.isArray(fault.loc) ? fault.loc.filter((step) => step !== "body").join(".") : "";
  return place === "" ? { message: fault.msg } : { message: `${place}: ${fault.msg}`, param: place };
}

/** A code that only repeats the HTTP status names nothing. */
function codeOf(code: unknown): Pick<ProviderError, "code" | "http_status"> {
  if (typeof code === "string" && code !== "") return { code };
  if (typeof code !== "number") return {};
  return code >= 400 && code <= 599 ? { http_status: code } : { code: String(code) };
}

/** The error object of an answer, or the answer itself. Google's OpenAI form puts it into an array. */
function errorOf(body: Buffer): Fields | undefined {
  if (body.length > limits.errorBodyBytesMax) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  const [answer] = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  if (!isObject(answer)) return undefined;
  return isObject(answer.error) ? answer.error : answer;
}
