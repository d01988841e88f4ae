/** Calls through the deployed URL. */
import assert from "node:assert/strict";
import { bedrockModel, pricedModel } from "./catalogs.ts";
import type { Answer } from "./client.ts";
import { type Deployed, type Step, until } from "./world.ts";

const question = { model: pricedModel, messages: [{ role: "user", content: "Say hello." }] };
const tasks = "/api/v3/contents/generations/tasks";

/** An answer that must be a success. */
function good(answer: Answer): Answer {
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

/** Makes a chat call that is answered whole, and gives its receipt once it is in the ledger. */
export async function bookedChat({ client }: Deployed): Promise<Record<string, unknown>> {
  const { headers, json } = good(await client.ask("POST", "/v1/chat/completions", question));
  assert.ok(JSON.stringify(json.choices).includes("content"));
  return await receiptOf({ client }, String(headers["x-request-id"]));
}

/** The receipt of a call or a task, once the ledger has its entry. */
async function receiptOf({ client }: Pick<Deployed, "client">, id: string): Promise<Record<string, unknown>> {
  return await until(`the entry of ${id}`, async () => {
    const { status, json } = await client.ask("GET", `/api/v1/requests/${id}`);
    const isBooked = status === 200 && Array.isArray(json.entries) && json.entries.length > 0;
    return isBooked ? json : undefined;
  });
}

async function createTask({ client }: Deployed, text: string): Promise<string> {
  const body = { model: "volcengine/doubao-seedance-1-5-pro-251215", content: [{ type: "text", text }] };
  return String(good(await client.ask("POST", tasks, body)).json.id);
}

/** Waits for a task to be in a state. Rejects with the operator's trace of it where it does not come there. */
async function taskIn({ client, commands, stage }: Deployed, id: string, state: string): Promise<void> {
  let seen: unknown;
  try {
    await until(`${state} of ${id}`, async () => {
      seen = good(await client.ask("GET", `${tasks}/${id}`)).json.status;
      return seen === state || undefined;
    });
  } catch (error) {
    const trace = JSON.stringify(await commands.operator(stage, "trace", id), undefined, 1);
    throw new Error(`${id} stays ${seen}; its trace is ${trace}`, { cause: error });
  }
}

/** Steps of a customer. */
export const calls: Step<Deployed>[] = [
  [
    "a chat call is answered whole, and its entry is in the ledger",
    async (on) => {
      const receipt = await bookedChat(on);
      assert.deepEqual([receipt.status, receipt.evidence], ["settled", "reported"]);
      assert.notEqual(receipt.cost_points, "0");
      // The operator finds its line in the logs of the stage.
      const trace = await on.commands.operator(on.stage, "trace", String(receipt.id));
      const sources = (trace as unknown as { source: string }[]).map(({ source }) => source);
      for (const source of ["log", "ledger", "meter"]) assert.ok(sources.includes(source), source);
    },
  ],
  [
    "a chat call is streamed",
    async (on) => {
      const { client } = on;
      const { text, headers } = good(
        await client.ask("POST", "/v1/chat/completions", { ...question, stream: true }),
      );
      assert.match(String(headers["content-type"]), /^text\/event-stream/);
      assert.ok(text.split("\n\n").length > 3, text);
      assert.match(text, /data: \[DONE\]\s*$/);
      await receiptOf(on, String(headers["x-request-id"]));
    },
  ],
  [
    "Anthropic's messages are answered",
    async (on) => {
      const body = { ...question, model: "anthropic/claude-haiku-4-5", max_tokens: 100 };
      const { json, headers } = good(await on.client.ask("POST", "/v1/messages", body));
      assert.deepEqual([json.type, json.role], ["message", "assistant"]);
      await receiptOf(on, String(headers["x-request-id"]));
    },
  ],
  [
    "a model of Bedrock answers to the role of the function, whole and in a stream",
    async (on) => {
      for (const stream of [false, true]) {
        const body = { ...question, model: bedrockModel, stream };
        const { text, headers } = good(await on.client.ask("POST", "/v1/chat/completions", body));
        assert.match(text, /Hello/);
        assert.match(String(headers["x-gateway-provider"]), /^bedrock-converse/);
        await receiptOf(on, String(headers["x-request-id"]));
      }
    },
  ],
  [
    "a repeated call gets its answer again",
    async ({ client }) => {
      const ask = () => client.ask("POST", "/v1/chat/completions", question, { "idempotency-key": "once" });
      const first = good(await ask());
      const second = good(await ask());
      assert.equal(second.headers["x-gateway-replayed"], first.headers["x-request-id"]);
      assert.deepEqual(second.json, first.json);
    },
  ],
  [
    "a video is made, and another is cancelled",
    async (on) => {
      const [made, cancelled] = await Promise.all([createTask(on, "A cat."), createTask(on, "A slow cat.")]);
      const { json } = good(await on.client.ask("DELETE", `${tasks}/${cancelled}`));
      assert.deepEqual(json, { id: cancelled, status: "cancelled" });
      await taskIn(on, made, "succeed");
      const receipt = await receiptOf(on, made);
      assert.deepEqual([receipt.kind, receipt.outcome], ["video", "completed"]);
    },
  ],
];
