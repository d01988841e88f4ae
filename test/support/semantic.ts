/**
 * A pipeline with a key whose plan has a cache, and with the two models by which it compares meanings. Both are played
 * here: each can answer, fail or hang. Lessons are learned when a test says so.
 */
import { createHash } from "node:crypto";
import { beforeEach, expect } from "vitest";
import {
  type IncomingReply,
  type OutgoingRequest,
  TransportError,
} from "#shared/base/platform/http-client.ts";
import { newId } from "#shared/base/platform/id.ts";
import { ArrivingBody } from "#shared/base/platform/reply-body.ts";
import { isAudited } from "#shared/calls/cache/semantic/audit.ts";
import { type ContextEvidence, noEvidence } from "#shared/calls/cache/semantic/evidence.ts";
import { sealLesson } from "#shared/calls/cache/semantic/lesson.ts";
import { createModels } from "#shared/calls/cache/semantic/models.ts";
import { learnBatch } from "#shared/edges/jobs/learn.ts";
import { type Asked, type Cached, cachedCatalog, useCached } from "./cached.ts";
import type { Answer } from "./call.ts";
import { pepper } from "./memory.ts";

type Json = Record<string, unknown>;

/** How a model that is played behaves. One that echoes gives back the end of the question, which is no JSON. */
type Manner = "answers" | "fails" | "hangs" | "throttles" | "echoes";

interface Semantic extends Cached {
  /** The texts that were embedded, and the pairs that were judged, in order. */
  embedded: string[];
  judged: { first: string; second: string; question?: string }[];
  /** Requests to the two models that were broken off. */
  aborted: number;
  embedder: Manner;
  judge: Manner;
  /** The direction of a text's vector: the same for all texts by default, so that each is near to each. */
  meaningOf: (text: string) => string;
  /** What the judge writes; by default that all questions are the same, and equal answers. */
  verdictOf: (first: string, second: string, question?: string) => string;
  /** Asks this question of an OpenAI client with the wish `semantic`, with an id that is not audited. */
  wish(question: string, asked?: Asked): Promise<Answer>;
  /** Has the learner learn all lessons that were sent. */
  learn(): Promise<void>;
  /** Has a first question answered and learned, so that the next one finds it. Gives the id of its call. */
  prepare(question: string): Promise<string>;
  /** What the first context has shown. */
  evidence(): ContextEvidence;
  /** The names of all log lines. */
  logged(): string[];
}

/** The catalog of `useCached` with an embedder and a verifier. */
export function semanticCatalog(url: string): unknown {
  const catalog = cachedCatalog(url) as { models: Json[] };
  const [chat] = catalog.models;
  const judge = {
    ...chat,
    id: "test/judge-1",
    aliases: [],
    channels: [{ provider: "test", model: "judge" }],
  };
  return {
    ...catalog,
    models: [...catalog.models, judge],
    cache: { embedder: "test/embedding-1", verifier: "test/judge-1" },
  };
}

/** An id that is audited, or one that is not. */
export function idThat(audited: boolean): string {
  for (;;) {
    const id = newId("request", Date.now());
    if (isAudited(id) === audited) return id;
  }
}

const honest: Semantic["verdictOf"] = (first, second, question) =>
  question === undefined || first === second ? "same" : "different";

/** What an answer says of the cache. */
export const told = ({ headers }: Pick<Answer, "headers">): string => headers["x-gateway-cache"] ?? "";

/** Registers a fresh scenario for each test of the file. */
export function useSemantic(): Semantic {
  const cached = useCached(semanticCatalog);
  const semantic: Semantic = Object.assign(cached, {
    embedded: [] as string[],
    judged: [] as Semantic["judged"],
    aborted: 0,
    embedder: "answers" as Manner,
    judge: "answers" as Manner,
    meaningOf: (_: string) => "one",
    verdictOf: honest,
    wish: (question: string, { headers, body, id = idThat(false), ...asked }: Asked = {}) =>
      cached.cached("openai", {
        ...asked,
        id,
        headers: { "x-gateway-cache": "semantic", ...headers },
        body: { temperature: undefined, messages: [{ role: "user", content: question }], ...body },
      }),
    async prepare(question: string) {
      const first = await semantic.wish(question);
      expect(told(first)).toBe("miss");
      await semantic.learn();
      expect(semantic.embedded).toEqual([question]);
      semantic.embedded.length = 0;
      return first.id;
    },
    evidence: () => [...cached.memory.contexts.evidence.values()][0] ?? noEvidence,
    logged: () => cached.memory.logs.map(({ event }) => event),
    async learn() {
      const { deps, contexts, lessons } = cached.memory;
      const messages = lessons
        .splice(0)
        .map((lesson, at) => ({ id: String(at), body: sealLesson(lesson, pepper), tries: 1 }));
      const failed = await learnBatch(messages, { ...deps, ...createModels(deps), contexts });
      if (failed.length > 0) throw new Error(`${failed.length} lessons were not learned`);
    },
  });
  beforeEach(() => {
    Object.assign(semantic, {
      embedded: [],
      judged: [],
      aborted: 0,
      embedder: "answers",
      judge: "answers",
      meaningOf: () => "one",
      verdictOf: honest,
    });
    const { deps } = cached.memory;
    const { send } = deps;
    deps.send = async (request) => {
      const body = JSON.parse(Buffer.concat(request.body as Uint8Array[]).toString()) as Json;
      if (request.url.endsWith("/embeddings")) {
        semantic.embedded.push(String(body.input));
        return await played(
          semantic,
          semantic.embedder,
          request,
          vectorReply(semantic.meaningOf(String(body.input))),
        );
      }
      if (body.model !== "judge") return await send(request);
      const pair = pairOf(body);
      semantic.judged.push(pair);
      const verdict = semantic.verdictOf(pair.first, pair.second, pair.question);
      return await played(semantic, semantic.judge, request, verdictReply(verdict));
    };
  });
  return semantic;
}

/** What a played model does with a request. */
async function played(
  semantic: Semantic,
  manner: Manner,
  { signal, body: given }: OutgoingRequest,
  reply: Json,
): Promise<IncomingReply> {
  if (manner === "hangs") {
    const { promise, reject } = Promise.withResolvers<IncomingReply>();
    signal?.addEventListener("abort", () => {
      semantic.aborted += 1;
      reject(new TransportError("sent", signal.reason));
    });
    return await promise;
  }
  const status = { answers: 200, echoes: 200, fails: 500, throttles: 429 }[manner];
  const answer = Buffer.from(JSON.stringify(status === 200 ? reply : { error: { message: "no" } }));
  const echo = Buffer.concat(given as Uint8Array[]);
  const body = new ArrivingBody({ pause: () => {}, resume: () => {}, destroy: () => {} });
  body.push(manner === "echoes" ? echo.subarray(echo.lastIndexOf("?") - "reserve do".length) : answer);
  body.end();
  return { status, headers: { "content-type": "application/json" }, body };
}

/** 64 numbers that a meaning alone decides. */
function vectorReply(meaning: string): Json {
  const embedding = [...createHash("sha512").update(meaning).digest()].map((byte) => byte - 127.5);
  return { data: [{ index: 0, embedding }], usage: { prompt_tokens: 7, total_tokens: 7 } };
}

function verdictReply(content: string): Json {
  const message = { role: "assistant", content };
  return {
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 300, completion_tokens: 1, total_tokens: 301 },
  };
}

function pairOf({ messages }: Json): Semantic["judged"][number] {
  const [, user] = messages as { content: string | { text: string }[] }[];
  const text = typeof user?.content === "string" ? user.content : (user?.content[0]?.text ?? "");
  return JSON.parse(text) as Semantic["judged"][number];
}
