#!/usr/bin/env node
/**
 * Signs a person in at a gateway's console from a terminal, and gives their key to programs that ask for one (README.md).
 * The console serves it as one file, `gateway.mjs`. Standard output has the key alone, so that helpers can read it.
 */
import { fileURLToPath } from "node:url";
import {
  AskError,
  askForCodes,
  consoleAddress,
  findServer,
  keptTokens,
  refreshed,
  revoke,
  waitForTokens,
} from "./console.ts";
import { readSignIns, type SignIn, whileLocked, writeSignIns } from "./sign-ins.ts";

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const self = `node ${fileURLToPath(import.meta.url)}`;

const help = `Signs you in at a model gateway, and gives your key to programs.

  ${self} login CONSOLE    sign in at the address of the console
  ${self} key [CONSOLE]    print your key, renewed if it ends soon
  ${self} logout [CONSOLE] end your key, and forget it

Without CONSOLE it is the one where you signed in last.`;

/** An agent remembers a key for some minutes. So the key that it gets is good for longer. */
const leftMsMin = 20 * 60_000;

async function login(address: string | undefined): Promise<void> {
  if (!address) throw new AskError(`Name the console: ${self} login https://console.example.com`);
  const console = consoleAddress(address);
  const server = await findServer(console);
  const codes = await askForCodes(server);
  say(`Open   ${codes.verification_uri_complete}`);
  say(`Code   ${codes.user_code}`);
  say("Look at what the page shows, and let it in only if the code is this one.");
  const tokens = await waitForTokens(server, codes);
  const { token_endpoint, revocation_endpoint, gateway_url: gateway } = server;
  const signIn = { console, gateway, token_endpoint, revocation_endpoint, ...keptTokens(tokens) };
  await whileLocked(async () => {
    await writeSignIns([signIn, ...(await readSignIns()).filter((each) => each.console !== console)]);
  });
  say(`You are signed in. The gateway is at ${gateway}, and your key comes from: ${self} key`);
}

async function key(address: string | undefined): Promise<void> {
  const signIn = await signInAt(address);
  const good = isLong(signIn) ? signIn : await whileLocked(async () => await renewed(signIn.console));
  process.stdout.write(`${good.key}\n`);
}

const isLong = ({ ends_at }: SignIn): boolean => ends_at - Date.now() > leftMsMin;

/** The sign-in with a key that is good for a while. Another program may have renewed it while this one waited. */
async function renewed(console: string): Promise<SignIn> {
  const all = await readSignIns();
  const before = all.find((each) => each.console === console);
  if (!before) throw notSignedIn(console);
  if (isLong(before)) return before;
  try {
    const after = await refreshed(before);
    await writeSignIns(all.map((each) => (each === before ? after : each)));
    return after;
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    if (error.error === "invalid_grant") {
      await writeSignIns(all.filter((each) => each !== before));
      throw notSignedIn(console);
    }
    // The console may be out of reach while the gateway answers.
    if (before.ends_at > Date.now()) return before;
    throw error;
  }
}

async function logout(address: string | undefined): Promise<void> {
  const { console } = await signInAt(address);
  await whileLocked(async () => {
    const all = await readSignIns();
    const signIn = all.find((each) => each.console === console);
    if (signIn) await revoke(signIn);
    await writeSignIns(all.filter((each) => each !== signIn));
  });
  say(`You are signed out at ${console}.`);
}

/** The sign-in at a console, or the last one. */
async function signInAt(address: string | undefined): Promise<SignIn> {
  const console = address && consoleAddress(address);
  const found = (await readSignIns()).find((each) => !console || each.console === console);
  if (!found) throw notSignedIn(console || "CONSOLE");
  return found;
}

function notSignedIn(console: string): AskError {
  return new AskError(`You are not signed in, or not any more. Sign in: ${self} login ${console}`);
}

const commands: Record<string, (address: string | undefined) => Promise<void>> = { login, key, logout };

const [name = "", address] = process.argv.slice(2);
const command = commands[name];
if (!command) {
  say(help);
  process.exitCode = name === "" || name === "help" || name === "--help" ? 0 : 2;
} else
  await command(address).catch((error: unknown) => {
    if (!(error instanceof AskError)) throw error;
    say(error.message);
    process.exitCode = 1;
  });
