/** The demo judge. It can be told to judge badly, so that one sees the audits switch the comparison of meanings off. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { meansTheSame } from "./meanings.ts";
import { chatCompletions } from "./openai.ts";
import { type DemoBody, lastTextOf, type Responder, sendJson } from "./reply.ts";

/** How it judges, with what that means as a message says it. */
const manners = {
  right: "compares the meanings of questions and of answers",
  careless: "says that all questions are the same, and compares answers rightly",
  yes: "says same to everything",
  no: "says different to everything",
  chatty: "writes a sentence and no verdict",
} as const;
type Manner = keyof typeof manners;

export class Judge {
  #manner: Manner = "right";

  /** Answers `GET /judge`, and `PUT /judge` whose body is a manner. Gives false for any other path. */
  serve({ method, url }: IncomingMessage, text: string, response: ServerResponse): boolean {
    if (url !== "/judge") return false;
    const word = text.trim();
    const isKnown = method === "GET" || (method === "PUT" && Object.hasOwn(manners, word));
    if (isKnown && method === "PUT") this.#manner = word as Manner;
    const told = Object.entries(manners).map(([manner, what]) => `${manner} (${what})`);
    const message = `GET /judge shows how the judge judges, and PUT sets it: ${told.join(", ")}.`;
    response.writeHead(isKnown ? 200 : 400, { "content-type": "application/json" });
    // The line break is for whoever reads it in a terminal.
    response.end(`${JSON.stringify(isKnown ? { judge: this.#manner } : { error: { message } })}\n`);
    return true;
  }

  /** `POST /chat/completions`. A message that is no pair of texts gets the demo provider's usual answer. */
  readonly completions: Responder = async (body, response, pauseMs) => {
    const pair = pairOf(body);
    if (!pair) return await chatCompletions(body, response, pauseMs);
    const content = this.#verdict(pair);
    const message = { role: "assistant", content, refusal: null };
    const prompt_tokens = Math.ceil(Buffer.byteLength(JSON.stringify(body.messages)) / 4);
    sendJson(response, 200, {
      id: "chatcmpl-demo",
      object: "chat.completion",
      created: Math.floor(Date.now() / 1000),
      model: body.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 },
    });
  };

  #verdict({ first, second, question }: Pair): string {
    const isOfQuestions = question === undefined;
    switch (this.#manner) {
      case "yes":
        return "same";
      case "no":
        return "different";
      case "chatty":
        return "I would say that these two are the same.";
      case "careless":
        return isOfQuestions || meansTheSame(first, second) ? "same" : "different";
      case "right":
        return meansTheSame(first, second) ? "same" : "different";
    }
  }
}

/** Two texts to compare; `question` is there where they are answers to it. */
interface Pair {
  first: string;
  second: string;
  question?: string;
}

function pairOf({ messages }: DemoBody): Pair | undefined {
  try {
    const data = JSON.parse(lastTextOf(messages)) as Partial<Pair> | null;
    return typeof data?.first === "string" && typeof data.second === "string" ? (data as Pair) : undefined;
  } catch {
    return undefined;
  }
}
