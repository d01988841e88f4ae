/**
 * A simulated world: gateway, settling function, sweeper, sealer and video worker over the real stores, each invocation a
 * run of the scheduler. Composed as `functions/deps.ts` does it, with cloud and providers in place of the network.
 */
import "./derived-once.ts";
import "./instantly.ts";
import "./loaded-before.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import type { HttpRequest } from "#shared/base/http/message.ts";
import { limits } from "#shared/base/limits.ts";
import { hashApiKey } from "#shared/base/platform/api-key.ts";
import type { Transport } from "#shared/base/platform/aws.ts";
import type { Send } from "#shared/base/platform/http-client.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Log } from "#shared/base/platform/log.ts";
import { pause } from "#shared/base/platform/pause.ts";
import type { KeyLimits, KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { Refusals } from "#shared/calls/access/refusals.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import type { TaskDeps } from "#shared/calls/tasks/deps.ts";
import { type Next, type TaskStep, work } from "#shared/calls/tasks/poll.ts";
import { pass } from "#shared/edges/jobs/pass.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { settleBatch } from "#shared/edges/jobs/settle.ts";
import { createOrganization, type NewOrganization } from "#shared/edges/operator/organizations.ts";
import { localAnswers } from "../../functions/local-answers.ts";
import { testClouds } from "../support/clouds.ts";
import { plainOwnKeys } from "../support/own-keys.ts";
import { Books } from "./books.ts";
import type { Call, Manner } from "./calls.ts";
import { quotas, simulatedCatalog } from "./catalog.ts";
import { Cloud } from "./cloud.ts";
import { createGatewaySend } from "./gateway-send.ts";
import type { KeyHistory, LevelHistories } from "./key-history.ts";
import { type Lesson, learn } from "./learning.ts";
import { createLog } from "./log.ts";
import { createModelSend } from "./meanings.ts";
import { type Mutation, noMutation, type Ports, type Role } from "./mutation.ts";
import { PepperSecret } from "./peppers.ts";
import { createPorts, createRushes, giveVideoWebhook, pepper } from "./ports.ts";
import type { Run, Scheduler } from "./scheduler.ts";
import { keyTags } from "./tags.ts";
import { createVideoProvider, type Video } from "./videos.ts";
import type { Weather } from "./weather.ts";

export interface Key {
  record: KeyRecord;
  secret: string;
  organization: Organization;
  history?: KeyHistory;
  levels?: LevelHistories;
}

/** A gateway process: a sandbox of Lambda's, or the local server, which serves many calls at once. */
export interface Gateway {
  run: Run;
  serve: Pipeline;
  now: () => number;
}

/** Settling waits for the board for so long at most. */
const boardTimeoutMs = 1_000;
const catalog = simulatedCatalog();
const sweeping = { lifetimeSeconds: limits.taskLifetimeSeconds, plan: catalog.plan, topUp: async () => {} };
const modes = { payg: "payg", subscription: "sub" } as const;

export class World {
  readonly scheduler: Scheduler;
  readonly cloud: Cloud;
  readonly books: Books;
  readonly calls = new Map<string, Call>();
  readonly videos = new Map<string, Video>();
  readonly keys: Key[] = [];
  readonly pepperSecret: PepperSecret;
  /** The call that what runs now is done for. */
  readonly calling = new AsyncLocalStorage<Call>();
  #gateways: Gateway[] = [];
  /** How many gateway processes clients are spread over. The fewer there are, the more of their calls are joined. */
  readonly #gatewaysMax: number;
  #runs = 0;
  /** Also of keys that are no longer among `keys`. Each has another secret. */
  #keysMade = 0;
  readonly #mutation: Mutation;
  readonly #now = (): number => this.scheduler.now;

  constructor(scheduler: Scheduler, weather: Weather, mutation: Mutation = noMutation) {
    this.scheduler = scheduler;
    this.#mutation = mutation;
    this.pepperSecret = new PepperSecret(() => scheduler.now, mutation.peppers);
    this.#gatewaysMax = scheduler.random.pick([1, 3, 3]);
    this.books = new Books(this.calls, this.videos);
    this.cloud = new Cloud(scheduler, weather, {
      settle: (batch, run) => this.#settle(batch, run),
      learn: (batch, run) => this.#learn(batch, run),
      work: (step, run) => this.#work(step, run),
      onWrite: (written) => this.books.note(written),
    });
  }

  /** A store without faults, for what is not under test: making customers, and reading the books. */
  get quietly(): Pick<Deps, "now" | "catalog"> & Ports {
    const now = this.#now;
    const { db, quiet: way } = this.cloud;
    const ways = { tables: way, queue: way, board: way, tells: false };
    const ports = createPorts(db.tables, ways, this.pepperSecret.ofProcess(), now, (act) => act());
    return { ...ports, now, catalog };
  }

  async addOrganization(wanted: Omit<NewOrganization, "name">): Promise<Organization> {
    const deps = { ...this.quietly, plans: () => ["free", "pro"], plan: catalog.plan };
    const organization = await createOrganization({ name: "Test", ...wanted }, deps);
    const { subscription } = organization;
    await giveVideoWebhook(this.cloud.db.tables, this.cloud.quiet, organization.id, this.scheduler.now);
    if (subscription) this.books.allow(subscription.meter, quotas[subscription.plan as keyof typeof quotas]);
    return organization;
  }

  async addKey(
    organization: Organization,
    mode: KeyRecord["mode"],
    project: string,
    limits: KeyLimits | null,
    created_by?: string,
  ): Promise<Key> {
    const secret = `sk-${modes[mode]}-${String(this.#keysMade++).padStart(43, "0")}`;
    const record: KeyRecord = {
      id: newId("key", this.scheduler.now),
      hash: hashApiKey(pepper, secret),
      organization: organization.id,
      project,
      ...{ name: "test", mode, permissions: [], limits, status: "active" },
      last_four: secret.slice(-4),
      ...(created_by !== undefined && { created_by }),
      created_at: this.scheduler.now,
      expires_at: null,
      ...keyTags(this.keys.length),
    };
    await this.quietly.accounts.createKey(record);
    const key = { record, secret, organization };
    this.keys.push(key);
    return key;
  }

  /** A pass of the sweeper, whose clock is off by so much. It has so long to read. */
  sweep(skewMs: number, readsForMs = Infinity): void {
    this.#pass("sweep", skewMs, async (deps) => {
      await pass({ until: deps.now() + readsForMs }, { ...deps, ...sweeping });
    });
  }

  /** A pass of the sealer, whose clock is off by so much. */
  seal(skewMs: number): void {
    this.#pass("seal", skewMs, async (deps) => {
      await postPlanFees({ ...deps, plan: catalog.plan });
      await seal(deps);
    });
  }

  /** What the hourly schedule does where no day is to be sealed. */
  postFees(): void {
    this.#pass("seal", 0, async (deps) => void (await postPlanFees({ ...deps, plan: catalog.plan })));
  }

  #pass(
    role: "sweep" | "seal",
    skewMs: number,
    act: (deps: Ports & { log: Log; now: () => number }) => Promise<void>,
  ): void {
    const run = this.#createRun(role);
    const now = () => this.scheduler.now + skewMs;
    this.scheduler.spawn(run, () => act({ ...this.#portsOf(run, role, now), log: this.#logOf(run), now }));
  }

  /** Something else that a run does, such as an operator. */
  act(name: string, act: (ports: Ports) => Promise<unknown>): void {
    const run = this.#createRun(name);
    this.scheduler.spawn(run, async () => void (await act(this.#portsOf(run, "operator"))));
  }

  /** One of the gateway processes, or a new one where one has died. */
  gateway(): Gateway {
    const at = this.scheduler.random.between(0, this.#gatewaysMax - 1);
    const gateway = this.#gateways[at];
    if (gateway?.run.alive) return gateway;
    const fresh = this.#startGateway(this.#skew());
    this.#gateways[at] = fresh;
    return fresh;
  }

  /** A request as the gateway sees it. */
  seen(request: HttpRequest): HttpRequest {
    return this.#mutation.request?.(request) ?? request;
  }

  /** Lets a gateway do something for a client, for so long. */
  serving(
    { run }: Gateway,
    act: () => Promise<void>,
    { hardEnd, timeMs }: Pick<Manner, "hardEnd" | "timeMs">,
  ): void {
    let ended = false;
    if (hardEnd) this.scheduler.after(timeMs, run, () => ended || this.scheduler.kill(run));
    this.scheduler.spawn(run, act, (error) => {
      ended = true;
      if (error !== undefined) this.books.violation(`${run.name} threw ${String(error)}`);
    });
  }

  async #settle(batch: { id: string; body: string }[], run: Run): Promise<string[]> {
    const messages = this.#mutation.messages?.(batch) ?? batch;
    const skew = this.#skew();
    const { random } = this.scheduler;
    if (random.chance(this.cloud.weather.seal)) {
      // A pass takes a while to come to its writes: they shall meet those of whoever settles.
      this.seal(0);
      const { latencyMs } = this.cloud.weather.effects;
      await this.scheduler.wait(run, random.between(0, 8 * latencyMs));
    }
    const now = () => this.scheduler.now + skew;
    const ports = this.#portsOf(run, "settle", now);
    const { statistics } = await ports.semantic();
    return await settleBatch(messages, { ...ports, statistics, log: this.#logOf(run), now });
  }

  async #learn(batch: Lesson[], run: Run): Promise<string[]> {
    const { cache, semantic } = this.#portsOf(run, "learner");
    const { contexts } = await semantic();
    const [send, log, now] = [this.#modelSend(run), this.#logOf(run), () => this.scheduler.now];
    const secrets = this.pepperSecret.ofProcess();
    return await learn(batch, { catalog, secrets, clouds: testClouds(), contexts, cache, send, log, now });
  }

  #modelSend(run: Run): Send {
    return createModelSend(this.scheduler, () => this.cloud.weather, run, this.#mutation);
  }

  async #work(step: TaskStep, run: Run): Promise<Next> {
    const now = () => this.scheduler.now;
    const [provider, log] = [this.#videoProvider(run), this.#logOf(run)];
    const ports = this.#portsOf(run, "worker", now);
    return await work(step, { ...ports, ...sweeping, provider, catalog, log, now });
  }

  #createRun(name: string): Run {
    return this.scheduler.createRun(`${name}-${++this.#runs}`);
  }

  #skew(): number {
    const { random } = this.scheduler;
    return random.between(-1, 1) * random.between(0, this.cloud.weather.gatewaySkewMs);
  }

  #startGateway(skewMs: number): Gateway {
    const run = this.#createRun("gateway");
    const now = () => this.scheduler.now + skewMs;
    const around = { scheduler: this.scheduler, books: this.books, calling: this.calling, now };
    const send = createGatewaySend(
      { ...around, weather: () => this.cloud.weather },
      run,
      this.#modelSend(run),
    );
    const secrets = this.pepperSecret.ofProcess();
    const ports = this.#portsOf(run, "gateway", now, secrets);
    const log = this.#logOf(run);
    const deps: Deps & TaskDeps = {
      ...ports,
      ...createRushes(ports, log, now),
      send,
      provider: this.#videoProvider(run),
      sleep: pause,
      catalog,
      ...{ secrets, clouds: testClouds(), ownKeys: plainOwnKeys },
      ...{ pages: "nobody asks for a page", refusals: new Refusals() },
      log,
      now,
    };
    return { run, serve: createPipeline(localAnswers(deps), deps), now };
  }

  #videoProvider(run: Run): TaskDeps["provider"] {
    return createVideoProvider(this.scheduler, () => this.cloud.weather, run, this.videos);
  }

  #portsOf(run: Run, role: Role, now = this.#now, secrets = this.pepperSecret.ofProcess()): Ports {
    const change = (transport: Transport) => this.#mutation.transport?.(transport, role) ?? transport;
    const way = (timeoutMs: number) => change(this.cloud.transport(run, timeoutMs));
    const tells = role === "worker" || role === "sweep";
    const ways = { tables: way(5_000), queue: way(1_000), board: way(boardTimeoutMs), tells };
    const tick = (act: () => void) => void this.scheduler.after(this.cloud.weather.joinMs, run, act);
    const made = createPorts(this.cloud.db.tables, ways, secrets, now, tick);
    return { ...made, ...this.#mutation.ports?.(made, role) };
  }

  #logOf(run: Run): Log {
    return createLog(run, this.calls, this.scheduler);
  }
}
