/** Who is signed in. Signing out in one tab signs out the others. */

import { createApi, overCodes } from "./api.ts";
import type { Account, MadeKey, Right, Tokens } from "./api-types.ts";
import { asProblem, type Problem } from "./problem.ts";
import { signal } from "./state.ts";

/** Undefined: not known yet. Null: nobody. */
export const account = signal<Account | null | undefined>(undefined);
/** Why nobody is signed in any more, where it was not the reader's wish. */
export const ended = signal<Problem | undefined>(undefined);
/** The number of calls that the reader waits for. */
export const busy = signal(0);
/** The key made last in this tab, in memory only. A revocation, another organization or the session's end drops it. */
export const madeKey = signal<MadeKey | undefined>(undefined);
/** Rises whenever what pages show may be another organization's. */
export const epoch = signal(0);

const tabs = "BroadcastChannel" in window ? new BroadcastChannel("session") : undefined;
tabs?.addEventListener("message", () => forget());

/** One thing at a time in all tabs, or in this one where the browser has no locks. */
const alone = <Value>(act: () => Promise<Value>): Promise<Value> =>
  navigator.locks ? (navigator.locks.request("session", act) as Promise<Value>) : act();

export const api = createApi({
  fetch: (input, init) => fetch(input, init),
  alone,
  now: Date.now,
  onBusy: (change) => {
    busy.value += change;
  },
  onMoved: (read) => {
    madeKey.value = undefined;
    account.value = read;
    epoch.value += 1;
  },
  onEnded: (why) => {
    if (account.value) ended.value = why;
    forget();
  },
});

/** Whether this browser may have a session: no secret, but it saves a refused request. No script reads the cookie. */
const mark = "signed-in";

function forget(): void {
  localStorage.removeItem(mark);
  api.drop();
  madeKey.value = undefined;
  account.value = null;
}

/** Reads the account anew, after something of it may have changed. */
export async function readAccount(isQuiet = false): Promise<void> {
  const at = epoch.value;
  const read = await api.get<"show_account">("/api/v1/account", { isQuiet });
  // An answer about the organization that was left meanwhile is not shown.
  if (at !== epoch.value || JSON.stringify(read) === JSON.stringify(account.value)) return;
  account.value = read;
}

/** How often an open page asks whether its account has changed. */
const watchMs = 20_000;

/** Reads the account while somebody looks, never twice at once: others may have changed it. Gives what ends that. */
export function watchAccount(): () => void {
  let isReading = false;
  const read = async () => {
    if (document.hidden || isReading) return;
    isReading = true;
    await readAccount(true).catch(() => undefined);
    isReading = false;
  };
  const timer = setInterval(read, watchMs);
  document.addEventListener("visibilitychange", read);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", read);
  };
}

/** Finds out by the cookie who is signed in. Rejects where that was not answered: the session may be good still. */
export async function restore(): Promise<void> {
  if (!localStorage.getItem(mark)) return forget();
  try {
    await api.refresh();
  } catch (error) {
    const problem = asProblem(error);
    if (!overCodes.includes(problem.code)) throw problem;
    if (problem.code !== 40103) ended.value = problem;
    forget();
  }
}

/** Begins the session that a sign-in or a sign-up gave. */
export async function begin(tokens: Tokens): Promise<void> {
  api.take(tokens);
  localStorage.setItem(mark, "yes");
  ended.value = undefined;
  await readAccount();
  epoch.value += 1;
}

/** Does what the reader waits for. */
export async function waiting<Value>(act: () => Promise<Value>): Promise<Value> {
  busy.value += 1;
  try {
    return await act();
  } finally {
    busy.value -= 1;
  }
}

/** Works as another organization's member from now on. Where that fails, everything stays as it is. */
export async function switchOrganization(id: string): Promise<void> {
  await waiting(() => api.refresh(id));
}

/** Ends the session here and in all tabs. Rejects where the server was not told, and then the session goes on. */
export async function signOut(): Promise<void> {
  await api.post<"sign_out">("/api/v1/auth/sign-out", {});
  tabs?.postMessage("ended");
  forget();
}

/** Whether the reader's role has a right. */
export function may(right: Right | undefined): boolean {
  return right === undefined || (account.value?.rights.includes(right) ?? false);
}
