/**
 * Runs agents against shared state in every order in which their actions can come, with deaths in between. Two beginnings
 * that lead to the same state are followed once: an agent's code is decided by the answers that it got, so the shared
 * state and those answers are all there is to a state.
 */
import { hash } from "node:crypto";
import { settled } from "./settled.ts";

/** Does something of the shared state at a moment that the search chooses. */
export type Act = <Value>(label: string, act: () => Value) => Promise<Value>;

/** One try: what acts, what all of them share, and what must hold in the end. */
export interface Try {
  agents: Agent[];
  /** All shared state, as text. */
  digest(): string;
  check(): Promise<void>;
}

export interface Agent {
  /** Agents of one name do the same. */
  name: string;
  run(act: Act): Promise<unknown>;
  /** It may die before any of its actions. */
  mortal?: true;
}

export interface Found {
  states: number;
  ends: number;
  /** The first end that failed its check: what happened before, and the error. */
  failure?: { steps: string[]; error: unknown };
}

/** An agent goes on, or dies. */
interface Choice {
  agent: number;
  dies: boolean;
}

/** Visits every state, with at most one death in each run. Stops at the first failure. */
export async function everyState(open: () => Promise<Try>): Promise<Found> {
  const seen = new Set<string>();
  const found: Found = { states: 0, ends: 0 };
  const open_ends: Choice[][] = [[]];
  const { stackTraceLimit } = Error;
  // Conditions fail all the time, and nobody reads where.
  Error.stackTraceLimit = 0;
  try {
    for (let beginning = open_ends.pop(); beginning; beginning = open_ends.pop()) {
      const run = await follow(await open(), beginning, { seen, open_ends, found });
      if (run) return { ...found, failure: run };
    }
    return found;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface Search {
  seen: Set<string>;
  open_ends: Choice[][];
  found: Found;
}

async function follow(
  { agents, digest, check }: Try,
  beginning: Choice[],
  { seen, open_ends, found }: Search,
): Promise<Found["failure"]> {
  const waiting = new Map<number, { label: string; go: () => void }>();
  const histories = agents.map(() => "");
  const running = new Set(agents.keys());
  const steps: string[] = [];
  const made: Choice[] = [];
  let deaths = 0;
  for (const [index, agent] of agents.entries()) {
    const act: Act = async (label, run) => {
      await new Promise<void>((go) => waiting.set(index, { label, go }));
      steps.push(`${index}: ${label}`);
      try {
        const value = run();
        histories[index] += `\n${label} ${JSON.stringify(value)}`;
        return value;
      } catch (error) {
        histories[index] += `\n${label} ${String(error)}`;
        throw error;
      }
    };
    agent
      .run(act)
      .catch((error: unknown) => steps.push(`${index} fails: ${String(error)}`))
      .finally(() => running.delete(index));
  }
  for (;;) {
    while ([...running].some((index) => !waiting.has(index))) await settled();
    if (running.size === 0) break;
    let choice = beginning[made.length];
    if (!choice) {
      // Who has ended does nothing more, and of two alike it does not matter which one is how far.
      const alive = [...running].map((index) => `${agents[index]?.name} ${histories[index]}`).sort();
      const state = hashOf([digest(), ...alive, String(deaths)]);
      if (seen.has(state)) return undefined;
      seen.add(state);
      found.states += 1;
      const ready = [...waiting.keys()].sort((a, b) => a - b);
      const [first, ...others] = choicesOf(ready, agents, deaths);
      if (!first) break;
      for (const other of others) open_ends.push([...made, other]);
      choice = first;
    }
    made.push(choice);
    const { agent, dies } = choice;
    const next = waiting.get(agent);
    waiting.delete(agent);
    if (dies) {
      steps.push(`${agent} dies before ${next?.label}`);
      deaths += 1;
      running.delete(agent);
    } else next?.go();
    await settled();
  }
  const end = hashOf([digest(), "the end"]);
  if (seen.has(end)) return undefined;
  seen.add(end);
  found.ends += 1;
  try {
    await check();
    return undefined;
  } catch (error) {
    return { steps, error };
  }
}

/** Every agent that is ready may go on. One of them all may die. */
function choicesOf(ready: number[], agents: Try["agents"], deaths: number): Choice[] {
  return ready.flatMap((agent) => [
    { agent, dies: false },
    ...(agents[agent]?.mortal && deaths === 0 ? [{ agent, dies: true }] : []),
  ]);
}

/** Each try draws ids of its own, which tell nothing. No part has a NUL in it. */
function hashOf(parts: string[]): string {
  const text = parts.join("\0").replace(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, "id");
  return hash("sha1", text, "base64");
}
