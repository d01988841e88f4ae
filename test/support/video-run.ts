/** A client of video tasks over HTTP as the vendor's own is (protocols.md §4.4, §4.5), and a catalog to run them on. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import type { KeyLimits, Permission } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import { createOrganization } from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { balanceOf, type LocalGateway, type Ready } from "./local.ts";

/** What "slow" tasks are queued for is 1.6 s, and what they run for 3.2 s. */
export const runEnv = { TASK_WAIT_SCALE: "0.08" };

export const videoModel = "volcengine/doubao-seedance-1-5-pro-251215";
/** 720p, by the second: 0.0518 points less a tenth. */
export const secondPoints = parsePoints("0.04662");
export const permittedModel = "byteplus/advanced-video-generation-2-0-fast";

/** The default catalog, with a discount on the video models' list prices, so that both show in every sum. */
export function runCatalog(): { plans: object; models: { id: string; video?: object }[] } {
  const catalog = structuredClone(catalogFile) as ReturnType<typeof runCatalog>;
  const models = catalog.models.map((model) => (model.video ? { ...model, discount_rate: "0.9" } : model));
  return { ...catalog, models };
}

/** What the vendor's client sends when only a text was given. */
export function nullFilled(text: string, fields: object = {}): object {
  const unset = [
    ...["callback_url", "return_last_frame", "service_tier", "execution_expires_after", "generate_audio"],
    ...["draft", "camera_fixed", "watermark", "seed", "resolution", "ratio", "duration", "frames", "tools"],
  ];
  return {
    model: videoModel,
    content: [{ type: "text", text, image_url: null, role: null }],
    ...Object.fromEntries(unset.map((name) => [name, null])),
    ...fields,
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  json: Record<string, unknown>;
}

interface ShownTask extends Record<string, unknown> {
  id: string;
  status: Task["status"];
  result?: { video_url: string };
}

export interface VideoClient {
  /** A call of a path under the tasks' own, and what came back, whatever it was. */
  ask(method: string, suffix?: string, body?: object | string): Promise<Answer>;
  /** Creates a task, which must be taken, and gives its id. */
  create(text: string, fields?: object): Promise<string>;
  get(id: string): Promise<ShownTask>;
  /** Polls as the vendor's examples do, until the task has one of these states. */
  until(id: string, ...states: string[]): Promise<ShownTask>;
  /** A call of any other path. */
  post(path: string, body: object): Promise<Answer>;
  fetch(path: string): Promise<Record<string, unknown>>;
}

const finals = ["succeed", "failed", "cancelled", "expired"];

export function videoClient(gateway: Pick<Ready, "url">, key: string): VideoClient {
  const send = async (method: string, path: string, body?: object | string): Promise<Answer> => {
    const reply = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const json = (await reply.json()) as Answer["json"];
    return { status: reply.status, headers: reply.headers, json };
  };
  const ask: VideoClient["ask"] = (method, suffix = "", body) =>
    send(method, `/api/v3/contents/generations/tasks${suffix}`, body);
  const get: VideoClient["get"] = async (id) => {
    const { status, json } = await ask("GET", `/${id}`);
    expect([status, json.id]).toEqual([200, id]);
    return json as ShownTask;
  };
  return {
    ask,
    get,
    async create(text, fields) {
      const { status, json } = await ask("POST", "", nullFilled(text, fields));
      expect(status, JSON.stringify(json)).toBe(200);
      expect(Object.keys(json)).toEqual(["id", "model", "status", "created_at"]);
      return String(json.id);
    },
    async until(id, ...states) {
      const wanted = states.length > 0 ? states : finals;
      const giveUpAt = Date.now() + 30_000;
      for (;;) {
        const task = await get(id);
        if (wanted.includes(task.status)) return task;
        if (Date.now() > giveUpAt) throw new Error(`task ${id} is still ${task.status}`);
        await sleep(25);
      }
    },
    post: (path, body) => send("POST", path, body),
    async fetch(path) {
      const { status, json } = await send("GET", path);
      expect(status, path).toBe(200);
      return json;
    },
  };
}

/** The task as the store has it. */
export async function keptTask(gateway: LocalGateway, organization: string, id: string): Promise<Task> {
  const { aws, tables } = connectLocally(gateway.readyFile);
  const task = await createTasks(aws, tables).find(organization, id);
  if (!task) throw new Error(`no task ${id}`);
  return task;
}

/** What a buyer of videos is made with: a wallet of `points` or a subscription, and a key for it. */
interface BuyerOptions {
  points?: string;
  plan?: string;
  project?: string;
  limits?: KeyLimits;
  permissions?: Permission[];
}

export interface Buyer {
  /** The organization. */
  id: string;
  /** The key's secret. */
  key: string;
  client: VideoClient;
  balance(): Promise<string>;
  /** A client with another key of the same organization. */
  withKey(options: BuyerOptions): Promise<VideoClient>;
}

/** An organization of its own, made by the operations that the operator uses, in this process. */
export async function buyer(gateway: LocalGateway, options: BuyerOptions = {}): Promise<Buyer> {
  const { aws, tables, pepperSecretArn } = connectLocally(gateway.readyFile);
  const accounts = createAccounts(aws, tables);
  const [ledger, meters] = [createLedger(aws, tables), createMeters(aws, tables)];
  const { plans } = runCatalog();
  const planOf = (name: string) => new Map(Object.entries(plans)).get(name);
  const deps = { accounts, ledger, meters, plans: () => Object.keys(plans), plan: planOf, now: Date.now };
  const { plan, points = "10" } = options;
  const created = await createOrganization({ name: "Test", ...(plan ? { plan } : { points }) }, deps);
  const peppers = async () => readPeppers(await readSecret(aws, pepperSecretArn));
  const newKey = async ({ project = "", limits, permissions = [] }: BuyerOptions) => {
    const { secret } = await issueKey(
      created,
      {
        ...{ name: "test", mode: plan ? "subscription" : "payg", project, permissions },
        ...{ limits: limits ?? null, expires_at: null },
      },
      { accounts, peppers, now: Date.now },
    );
    return secret;
  };
  const key = await newKey(options);
  return {
    id: created.id,
    key,
    client: videoClient(gateway, key),
    balance: () => balanceOf(gateway, key),
    withKey: async (another) => videoClient(gateway, await newKey(another)),
  };
}
