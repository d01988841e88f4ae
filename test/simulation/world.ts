/**
 * A simulated world: the product's gateway, settling function and sweeper over its real stores, each call
 * and sweep a run of the scheduler. Composed as `functions/deps.ts` does it, with the cloud and the provider in
 * place of the network. To add a scenario, draw it in `scenario.ts` out of what stands here.
 */
import type { KeyRecord, Organization } from "#shared/billing/account.ts";
import type { Deps } from "#shared/gateway/deps.ts";
import type { LocalAnswers } from "#shared/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/gateway/pipeline.ts";
import { createOrganization, type NewOrganization } from "#shared/operations/organizations.ts";
import { settleBatch } from "#shared/operations/settle.ts";
import { sweep } from "#shared/operations/sweep.ts";
import { hashApiKey } from "#shared/platform/api-key.ts";
import { createAws, type Transport } from "#shared/platform/aws.ts";
import type { OutgoingRequest } from "#shared/platform/http-client.ts";
import { newId } from "#shared/platform/id.ts";
import type { Log } from "#shared/platform/log.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { createMeters } from "#shared/store/meters.ts";
import { createReplays } from "#shared/store/replays.ts";
import { createUsageQueue } from "#shared/store/usage-queue.ts";
import { Books } from "./books.ts";
import { simulatedCatalog } from "./catalog.ts";
import { Cloud } from "./cloud.ts";
import { type Mutation, noMutation, type Ports, type Role } from "./mutation.ts";
import { createSend, type Script } from "./provider.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import type { Weather } from "./weather.ts";

/** A call as everybody who is not the product knows it. */
export interface Call {
  id: string;
  key: Key;
  script: Script;
  /** How often the provider was asked. */
  asked: number;
  status: number | undefined;
  received: string;
  sawEnd: boolean;
  /** Neither queue nor ledger took its usage, and the log said so: an operator is alarmed (billing.md §5, fault 12). */
  gap: boolean;
}

export interface Key {
  record: KeyRecord;
  secret: string;
  organization: Organization;
}

/** A gateway process: a sandbox of Lambda's, or the local server, which serves many calls at once. */
interface Gateway {
  run: Run;
  serve: Pipeline;
  now: () => number;
}

const pepper = "pepper";
const path = "/v1/chat/completions";
const modes = { payg: "payg", subscription: "sub" } as const;

const catalog = simulatedCatalog();

export class World {
  readonly scheduler: Scheduler;
  readonly cloud: Cloud;
  readonly books: Books;
  readonly calls = new Map<string, Call>();
  readonly keys: Key[] = [];
  #gateways: Gateway[] = [];
  #runs = 0;
  readonly #mutation: Mutation;

  constructor(scheduler: Scheduler, weather: Weather, mutation: Mutation = noMutation) {
    this.scheduler = scheduler;
    this.#mutation = mutation;
    this.books = new Books(this.calls);
    this.cloud = new Cloud(
      scheduler,
      weather,
      (batch, run) => this.#settle(batch, run),
      (written) => this.books.note(written),
    );
  }

  /** A store without faults, for what is not under test: making customers, and reading the books. */
  get quietly(): Pick<Deps, "now"> & Ports {
    const transport: Transport = async (_, action, body) =>
      this.cloud.db.act(action, JSON.parse(body) as object);
    const now = () => this.scheduler.now;
    return { ...this.#ports(transport, transport, now), now };
  }

  async addOrganization(wanted: Omit<NewOrganization, "name">): Promise<Organization> {
    const { accounts, meters, ledger, now } = this.quietly;
    const deps = { accounts, meters, ledger, now, plans: () => ["free", "pro"] };
    return await createOrganization(deps, { name: "Test", ...wanted });
  }

  async addKey(organization: Organization, mode: KeyRecord["mode"], project: string): Promise<Key> {
    const secret = `sk-${modes[mode]}-${this.keys.length}`;
    const record: KeyRecord = {
      id: newId("key", this.scheduler.now),
      hash: hashApiKey(pepper, secret),
      organization: organization.id,
      project,
      name: "test",
      mode,
      permissions: [],
      limits: null,
      status: "active",
      last_four: secret.slice(-4),
      created_at: this.scheduler.now,
      expires_at: null,
    };
    await this.quietly.accounts.createKey(record);
    const key = { record, secret, organization };
    this.keys.push(key);
    return key;
  }

  /** A client calls. It reads everything, or leaves after so many writes of the answer. */
  call(
    key: Key,
    script: Script,
    how: { stream: boolean; leavesAfter: number; timeMs: number; hardEnd: boolean },
  ): void {
    const gateway = this.#gateway();
    const now = gateway.now();
    const id = newId("request", now);
    const call: Call = {
      id,
      key,
      script,
      asked: 0,
      status: undefined,
      received: "",
      sawEnd: false,
      gap: false,
    };
    this.calls.set(id, call);
    const body = {
      model: "test/model-1",
      max_tokens: 50,
      stream: how.stream,
      messages: [{ role: "user", content: id }],
    };
    const { run } = gateway;
    this.scheduler.note(
      run,
      `is called: ${id}, ${key.record.mode}, ${JSON.stringify(script)} ${JSON.stringify(how)}`,
    );
    const act = async () => {
      const reply = await gateway.serve({
        id,
        method: "POST",
        path,
        query: new URLSearchParams(),
        headers: { authorization: `Bearer ${key.secret}` },
        body: Buffer.from(JSON.stringify(body)),
        received_at: now,
        deadline_at: now + how.timeMs,
      });
      const write = (bytes: Uint8Array, end: boolean) =>
        this.scheduler.effect(
          run,
          `writes ${bytes.length} bytes of ${id}`,
          this.cloud.weather.effects,
          () => {
            call.status = reply.status;
            call.received += Buffer.from(bytes).toString();
            call.sawEnd = reply.status === 200 && (end || call.received.includes("[DONE]"));
          },
        );
      if (typeof reply.body === "string") await write(Buffer.from(reply.body), true);
      else if (reply.body instanceof Uint8Array) await write(reply.body, true);
      else {
        let writes = 0;
        for await (const bytes of reply.body) {
          await write(bytes, false);
          if (++writes >= how.leavesAfter) break;
        }
      }
      await reply.after?.();
      ended = true;
    };
    let ended = false;
    // Lambda kills what is not done in its time; a process elsewhere may go on.
    if (how.hardEnd) this.scheduler.after(how.timeMs, run, () => ended || this.scheduler.kill(run));
    this.scheduler.spawn(run, act, (error) => {
      if (error !== undefined) this.books.violation(`${run.name} threw ${String(error)}`);
    });
  }

  /** A pass of the sweeper, whose clock is off by so much. */
  sweep(skewMs: number): void {
    const run = this.#createRun("sweep");
    const now = () => this.scheduler.now + skewMs;
    const ports = this.#portsOf(run, "sweep", now);
    this.scheduler.spawn(run, async () => void (await sweep({ ...ports, log: this.#logOf(run), now })));
  }

  /** Something else that a run does, such as an operator. */
  act(name: string, act: (ports: Ports) => Promise<unknown>): void {
    const run = this.#createRun(name);
    this.scheduler.spawn(run, async () => void (await act(this.#portsOf(run, "operator"))));
  }

  async #settle(batch: { id: string; body: string }[], run: Run): Promise<string[]> {
    const messages = this.#mutation.messages?.(batch) ?? batch;
    return await settleBatch(messages, this.#portsOf(run, "settle").ledger, this.#logOf(run));
  }

  #createRun(name: string): Run {
    return this.scheduler.createRun(`${name}-${++this.#runs}`);
  }

  /** One of three processes, or a new one where one has died. */
  #gateway(): Gateway {
    const { random } = this.scheduler;
    const at = random.between(0, 2);
    const gateway = this.#gateways[at];
    if (gateway?.run.alive) return gateway;
    const fresh = this.#startGateway(
      random.between(-1, 1) * random.between(0, this.cloud.weather.gatewaySkewMs),
    );
    this.#gateways[at] = fresh;
    return fresh;
  }

  #startGateway(skewMs: number): Gateway {
    const run = this.#createRun("gateway");
    const now = () => this.scheduler.now + skewMs;
    // The words of a call are its id, so that the provider can tell whose it is.
    const asked = ({ body }: OutgoingRequest) => {
      const call = this.calls.get(/req_\w{26}/.exec(body.toString())?.[0] ?? "");
      if (!call) throw new Error("a call that nobody made");
      call.asked += 1;
      return call.script;
    };
    const deps: Deps = {
      ...this.#portsOf(run, "gateway", now),
      send: createSend(this.scheduler, () => this.cloud.weather, run, asked),
      catalog,
      secrets: { pepper: async () => pepper, provider: async () => "secret" },
      log: this.#logOf(run),
      now,
    };
    const serve = createPipeline(deps, {} as LocalAnswers);
    return { run, serve, now };
  }

  #portsOf(run: Run, role: Role, now = () => this.scheduler.now): Ports {
    const change = (transport: Transport) => this.#mutation.transport?.(transport, role) ?? transport;
    const ports = this.#ports(
      change(this.cloud.transport(run, 5_000)),
      change(this.cloud.transport(run, 1_000)),
      now,
    );
    return { ...ports, ...this.#mutation.ports?.(ports, role) };
  }

  #ports(transport: Transport, queueTransport: Transport, now: () => number): Ports {
    const options = {
      region: "",
      credentials: () => ({ accessKeyId: "", secretAccessKey: "" }),
      endpoints: {},
    };
    const aws = createAws({ ...options, attemptsMax: 4, timeoutMs: 5_000 }, transport);
    const queueAws = createAws({ ...options, attemptsMax: 2, timeoutMs: 1_000 }, queueTransport);
    const { tables } = this.cloud.db;
    return {
      accounts: createAccounts(aws, tables),
      meters: createMeters(aws, tables),
      ledger: createLedger(aws, tables, now),
      replays: createReplays(aws, tables),
      queue: createUsageQueue(queueAws, "queue"),
    };
  }

  #logOf(run: Run): Log {
    return (_, event, fields = {}) => {
      const call = this.calls.get(fields.request ?? "");
      if (call && event === "settle_gap") call.gap = true;
      this.scheduler.note(run, `log ${event} ${JSON.stringify(fields)}`);
    };
  }
}
