/** The secret `platforms`: one channel at a time, or the sender of messages (infra/resources/secrets.md). */

import { objectIn } from "../../base/json/fields.ts";
import type { SecretStore } from "../../base/platform/secret-text.ts";
import { paymentChannels } from "../../books/catalog/catalog.ts";
import { readSmsSettings } from "../../people/identity/sms/settings.ts";
import { readPlatformSettings } from "../../people/payments/settings.ts";
import { changeMembers, type MemberLine, membersIn, type SecretMembers } from "./secret-members.ts";

/** What a stage can have in this secret: where customers pay, and who sends messages. */
export const platformMembers: readonly string[] = [...paymentChannels, "sms"];

const what = "the secret platforms";

interface PlatformMemberDeps {
  secret: SecretStore;
}

/** A line for each member that there can be. Throws where the secret is no JSON object. */
export async function listPlatformMembers({ secret }: PlatformMemberDeps): Promise<MemberLine[]> {
  const members = membersIn(what, (await secret.read()).text);
  return platformMembers.map((name) => lineOf(name, members));
}

/** Sets a member to a JSON object. Throws, and quotes no value, where the console could not use it. */
export async function putPlatformMember(
  name: string,
  text: string,
  { secret }: PlatformMemberDeps,
): Promise<MemberLine> {
  const settings = objectIn(text);
  if (!settings) throw new Error("the value is no JSON object: nothing was changed");
  if (Object.keys(settings).length === 0)
    throw new Error(`the value is empty: nothing was changed; secret remove ${name} takes it away`);
  const problem = problemOf(name, settings);
  if (problem !== null) throw new Error(`nothing was changed: ${problem}`);
  return lineOf(name, await changeMembers(what, (before) => ({ ...before, [name]: settings }), secret));
}

/** Removes a member. Throws where it is not set. */
export async function removePlatformMember(
  name: string,
  { secret }: PlatformMemberDeps,
): Promise<MemberLine> {
  const members = await changeMembers(
    what,
    ({ [name]: known, ...others }) => {
      if (known === undefined) throw new Error(`${name} is not set; secret list shows the names`);
      return others;
    },
    secret,
  );
  return lineOf(name, members);
}

function lineOf(name: string, members: SecretMembers): MemberLine {
  const settings = members[name];
  // An empty channel is one that the stage does not have.
  const isMissing = settings === undefined || settings === null || JSON.stringify(settings) === "{}";
  const problem = isMissing ? null : problemOf(name, settings);
  return {
    name,
    state: isMissing ? "missing" : problem === null ? "set" : "wrong",
    used_by: ["console"],
    ...{ last_four: null, set_at: null, age_seconds: null, problem },
  };
}

/** What the console would say of these settings, as it reads them; null where it can use them. */
function problemOf(name: string, settings: unknown): string | null {
  const text = JSON.stringify({ [name]: settings });
  if (name !== "sms") return readPlatformSettings(text).problems[0]?.problem ?? null;
  try {
    readSmsSettings(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
