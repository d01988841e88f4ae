/** The operator's commands on tokens of the operators' API (shared/edges/admin/README.md): `token make`, `list`, `revoke`. */
import { listAdminTokens, makeAdminToken, revokeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import { createAdminTokens } from "#shared/edges/store/admin/tokens.ts";
import { adminLimits } from "#shared/people/admin/bounds.ts";
import { type AdminScope, adminScopes } from "#shared/people/admin/token.ts";
import { actorAt } from "./actor.ts";
import {
  type CommandCall,
  type CommandGroup,
  command,
  count,
  flag,
  flagOf,
  needed,
  oneOf,
} from "./command.ts";

async function tokensAt({ place }: Pick<CommandCall, "place">) {
  const connection = await place();
  const { aws, tables } = connection;
  return { connection, tokens: createAdminTokens(aws, tables), now: Date.now };
}

/** Scopes with commas between them, each once. */
function scopes(text: string, name: string): AdminScope[] {
  return [...new Set(text.split(",").map((each) => oneOf(each.trim(), name, adminScopes)))];
}

const make = command({
  words: "token make",
  what: "makes a token of the operators' API, and shows it this once",
  more: "A token is for one person. Every token may read. One of support may also disable, enable and revoke keys. One of finance may credit wallets, issue and reject invoices, and decide about orders in review. ops opens nothing more today. Credits above console.fourEyesPoints of the stage, of one or of all that a person books in a day, need two tokens of finance, made for two persons.",
  flags: {
    name: needed(
      flag(
        "N",
        "what it is called, without an @; audit logs show it to the customers whose things it changes",
      ),
    ),
    for: needed(flag("EMAIL", "the e-mail address of the person who gets it")),
    scope: needed(flagOf("LIST", `of ${adminScopes.join(", ")}, with commas between them`, scopes)),
    days: needed(
      flagOf("N", `how long it is good, 1 to ${adminLimits.tokenDaysMax}`, count(adminLimits.tokenDaysMax)),
    ),
  },
  examples: {
    "--name 'Ann, finance' --for ann@example.com --scope finance --days 30":
      "Ann may credit wallets for 30 days",
  },
  async run(call) {
    const { name, for: person, scope, days } = call.flags;
    const at = await tokensAt(call);
    const by = await actorAt(at.connection);
    return { value: await makeAdminToken({ name, person, scopes: scope, days, by }, at) };
  },
});

const list = command({
  words: "token list",
  what: "lists the tokens of the operators' API with who made them, and never a token itself",
  examples: { "": "those that are in force first" },
  run: async (call) => ({ value: await listAdminTokens(await tokensAt(call)) }),
});

const sample = "adt_01M83T77JCBBMVDA0MM61SRH7B";

const revoke = command({
  words: "token revoke",
  what: "refuses a token of the operators' API from its next request on; repeating it changes nothing",
  operands: [
    { name: "ID", what: "the token's id, adt_…", missing: "give the id of the token; token list shows it" },
  ],
  examples: { [sample]: "its requests get 40100, and no proposal of it can be confirmed" },
  forGood: ({ operand }) =>
    `The token ${operand} is refused from its next request on. It can never be made valid again.`,
  async run(call) {
    const at = await tokensAt(call);
    return { value: await revokeAdminToken(call.operand, await actorAt(at.connection), at) };
  },
});

export const adminTokens: CommandGroup = {
  title: "Tokens of the operators' API",
  commands: [make, list, revoke],
};
