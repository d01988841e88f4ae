/** The weather of each provider that is played: whoever tries the gateway lets one fail, and sees where calls go. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { sendJson } from "./reply.ts";

/** What there is, with what it does as a message says it. */
const weathers = {
  clear: "answers as ever",
  outage: "503 at once",
  flaky: "500 for three of ten requests",
  slow: "answers begin a second later, and their words come eight times slower",
  hang: "takes requests and never answers",
  limit: "429 with retry-after: 12",
} as const;
type Kind = keyof typeof weathers;

const flakyShare = 0.3;
const limitSeconds = 12;
/** Slow weather: how much longer the pauses of a stream are, and how many pauses an answer waits to begin. */
const slowness = { factor: 8, pausesBefore: 50 };
/** A longer text is no weather. */
const wordCharsMax = 100;

const path = /^\/weather(?:\/([^/]*))?$/;

export class Weather {
  readonly #kinds = new Map<string, Kind>();
  readonly #providers: readonly string[] | undefined;
  readonly #random: () => number;

  /** Knows these providers, or any if undefined. `random` gives numbers in [0, 1). */
  constructor(providers: readonly string[] | undefined, random: () => number) {
    this.#providers = providers;
    this.#random = random;
  }

  /** Answers `GET /weather`, and `PUT /weather/<provider>` whose body is a kind. Gives false for any other path. */
  serve({ method, url = "" }: IncomingMessage, text: string, response: ServerResponse): boolean {
    const found = path.exec(url);
    if (!found) return false;
    const [, name] = found;
    const problem =
      name !== undefined && method === "PUT" ? this.#set(name, text.trim()) : askedWrongly(method, name);
    const answer = name === undefined ? this.#all() : { [name]: this.#of(name) };
    response.writeHead(problem === undefined ? 200 : 400, { "content-type": "application/json" });
    // The line break is for whoever reads it in a terminal.
    response.end(`${JSON.stringify(problem === undefined ? answer : { error: { message: problem } })}\n`);
    return true;
  }

  #all(): Record<string, Kind> {
    const names = new Set([...(this.#providers ?? []), ...this.#kinds.keys()]);
    return Object.fromEntries([...names].map((name) => [name, this.#of(name)]));
  }

  #of(provider: string): Kind {
    return this.#kinds.get(provider) ?? "clear";
  }

  /** Sets a provider's weather, or says why that cannot be. */
  #set(provider: string, word: string): string | undefined {
    if (this.#providers?.includes(provider) === false) {
      return `there is no provider ${short(provider)}. There are ${this.#providers.join(", ")}.`;
    }
    if (!Object.hasOwn(weathers, word)) {
      const told = Object.entries(weathers).map(([kind, what]) => `${kind} (${what})`);
      return `there is no weather "${short(word)}". There are ${told.join(", ")}.`;
    }
    this.#kinds.set(provider, word as Kind);
    return undefined;
  }

  /**
   * Lets a provider's weather act on a request. Gives the factor of the pauses between the words of its answer, or
   * undefined where the request has been answered, or never will be. `pauseMs` is a pause in clear weather.
   */
  async befall(provider: string, pauseMs: number, response: ServerResponse): Promise<number | undefined> {
    switch (this.#of(provider)) {
      case "clear":
        return 1;
      case "outage":
        return fail(response, 503, "the demo provider plays an outage");
      case "flaky":
        if (this.#random() >= flakyShare) return 1;
        return fail(response, 500, "the demo provider plays a flaky one");
      case "limit":
        response.setHeader("retry-after", String(limitSeconds));
        return fail(response, 429, "the demo provider plays a limit");
      case "slow":
        await sleep(slowness.pausesBefore * pauseMs);
        return slowness.factor;
      case "hang":
        return undefined;
    }
  }
}

function fail(response: ServerResponse, status: number, message: string): undefined {
  sendJson(response, status, { error: { message } });
}

function askedWrongly(method: string | undefined, name: string | undefined): string | undefined {
  if (method === "GET" && name === undefined) return undefined;
  return "GET /weather shows the weather, and PUT /weather/<provider> with a word as its body sets it.";
}

function short(text: string): string {
  return text.length > wordCharsMax ? `${text.slice(0, wordCharsMax)}…` : text;
}
