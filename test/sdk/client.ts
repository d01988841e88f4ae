/** What every SDK of the matrix is asked to do, and how its answers are compared. */

/** One call of an SDK. */
export interface Question {
  model: string;
  stream?: boolean;
  /** A tool is offered. */
  tool?: boolean;
  /** The answer is to follow a JSON Schema. */
  schema?: boolean;
  /** A picture goes with the prompt: its bytes, or its address. */
  picture?: "bytes" | "address";
  /** The model is asked to reason, in the SDK's own way. */
  reasoning?: boolean;
}

export interface Answer {
  text: string;
  tool?: { name: string; arguments: unknown };
  usage: { input: number; output: number };
}

/** What a program sees of a refused call. */
interface Failure {
  /** The class of the exception. */
  name: string;
  status: number | undefined;
  message: string;
  /** The request id that the SDK shows, where it shows one. */
  request: string | undefined;
}

export interface SdkClient {
  ask(question: Question): Promise<Answer>;
  /** Asks with a tool, gives back the tool's result to the model `then`, and gives the second answer. */
  converse(question: Question, then: string): Promise<Answer>;
  /** A call that is refused. Rejects where it is not. */
  fail(model: string): Promise<Failure>;
  /** The ids of the models that the SDK lists. */
  models?(): Promise<string[]>;
  /** The embedding of a short text. */
  embed?(model: string): Promise<number[]>;
}

/** Where an SDK finds the gateway. */
export interface Place {
  url: string;
  key: string;
}

export const system = "Be brief.";
export const prompt = "Hello?";
export const toolName = "weather";
export const toolResult = "Sunny, 21 degrees.";

export const citySchema = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false,
};

/** A picture of one pixel. */
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const pictureAddress = "https://pictures.example/one.png";

export const parsed = (text: string | undefined): unknown => JSON.parse(text ?? "null");

/** An exception, with what one SDK or another knows of the answer. */
interface Thrown extends Error {
  status?: number;
  statusCode?: number;
  headers?: unknown;
  requestID?: unknown;
  $metadata?: { httpStatusCode?: number; requestId?: string };
}

/** What an SDK threw. */
export async function failureOf(
  call: Promise<unknown>,
  requestOf: (error: Thrown) => unknown,
): Promise<Failure> {
  const error = await call.then(
    () => {
      throw new Error("the call was not refused");
    },
    (thrown: Thrown) => thrown,
  );
  const request = requestOf(error);
  return {
    name: error.constructor.name,
    status: error.status ?? error.statusCode ?? error.$metadata?.httpStatusCode,
    message: error.message,
    request: typeof request === "string" ? request : undefined,
  };
}
