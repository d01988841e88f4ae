/**
 * Clients and the provider of the kill test, both outside the process that dies. Every call names itself by its
 * `user`, which says what it will use: so the provider knows what to report, and the ledger whose entry is whose.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "#test/support/random.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

/** What became of a call, as its client saw it. */
export interface Call {
  /** `<number>-<input tokens>-<output tokens>`. */
  name: string;
  /** Our id, when its headers arrived. */
  request: string | null;
  fate: "ended" | "cut" | "left" | "refused";
  /** The usage it was told, when it saw its end. */
  seen: { prompt_tokens: number; completion_tokens: number } | null;
}

/** The tokens in the name of a call. */
export function tokensIn(name: string): { prompt_tokens: number; completion_tokens: number } {
  const [, input = 0, output = 0] = name.split("-").map(Number);
  return { prompt_tokens: input, completion_tokens: output };
}

export interface Provider {
  url: string;
  /** Names of the calls that reached it. */
  reached: Set<string>;
  stop(): Promise<void>;
}

/** Starts a provider that takes up to 60 ms over an answer, so that a kill meets calls in every state. */
export async function startProvider(seed: number): Promise<Provider> {
  const random = seeded(seed);
  const reached = new Set<string>();
  const upstream: Upstream = await startUpstream();
  upstream.on(async (_, response) => {
    const sent = upstream.requests.pop()?.body.toString() ?? "";
    const { user, stream } = JSON.parse(sent) as { user: string; stream?: boolean };
    reached.add(user);
    const usage = tokensIn(user);
    const choice = { index: 0, delta: { content: "word " }, message: { role: "assistant", content: "word" } };
    await sleep(random(20));
    if (!stream) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices: [choice], usage }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let chunk = 0; chunk < 8; chunk++) {
      response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
      await sleep(random(6));
    }
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
  return { url: upstream.url, reached, stop: upstream.stop };
}

/**
 * Calls by many clients at once, each with another after the last, until their gateway is gone. Streams and whole
 * answers take turns by chance, and the keys too. `onEnded` is called for each call whose client saw its end.
 */
export async function callUntilGone(
  url: string,
  keys: string[],
  {
    clients,
    seed,
    nameFrom,
    onEnded,
  }: { clients: number; seed: number; nameFrom: number; onEnded: () => void },
): Promise<Call[]> {
  const random = seeded(seed);
  const calls: Call[] = [];
  const client = async () => {
    for (;;) {
      const name = `${nameFrom + calls.length}-${1 + random(500)}-${1 + random(90)}`;
      const call: Call = { name, request: null, fate: "cut", seen: null };
      calls.push(call);
      const key = keys[random(keys.length)] ?? "";
      await makeCall(call, url, key, { stream: random(2) === 0, leaves: random(20) === 0 });
      if (call.fate === "ended") onEnded();
      if (call.fate === "cut" || call.fate === "refused") return;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return calls;
}

async function makeCall(
  call: Call,
  url: string,
  key: string,
  { stream, leaves }: { stream: boolean; leaves: boolean },
): Promise<void> {
  let text = "";
  try {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "test/model-1",
        max_tokens: 100,
        user: call.name,
        messages: [{ role: "user", content: "Hello" }],
        ...(stream && { stream, stream_options: { include_usage: true } }),
      }),
    });
    call.request = reply.headers.get("x-request-id");
    if (reply.status !== 200) call.fate = "refused";
    const decoder = new TextDecoder();
    for await (const bytes of reply.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (!leaves) continue;
      // Breaking off closes the connection; the call is finished and billed without its client.
      call.fate = "left";
      return;
    }
  } catch {
    // The gateway is gone. What has arrived may still be all there was.
  }
  if (call.fate === "refused") return;
  const usage = usageIn(text, stream);
  if (usage) Object.assign(call, { fate: "ended", seen: usage });
}

/** The usage of an answer that arrived whole. */
function usageIn(text: string, stream: boolean): Call["seen"] {
  if (stream && !text.includes("data: [DONE]")) return null;
  const last = stream
    ? text
        .split("\n\n")
        .findLast((frame) => frame.includes('"usage"'))
        ?.slice(6)
    : text;
  try {
    return (JSON.parse(last ?? "") as { usage: Call["seen"] }).usage;
  } catch {
    return null;
  }
}
