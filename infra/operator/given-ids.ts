/** The operator's command on ids of what a provider keeps. */

import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import { giveId } from "#shared/edges/operator/given-ids.ts";
import { writeLine } from "./audit-lines.ts";
import { type CommandGroup, command, flag, needed } from "./command.ts";
import { catalogOf, organizationOf, storesOf } from "./stores.ts";

const give = command({
  words: "id give",
  what: "marks the id of a file, a store or a cache at a provider, so that an organization can use it",
  more: "What was made at a provider by hand has an id that no organization may send. The command shows the id with its mark. It works for keys of the organization and the project alone, until the pepper of today is dropped. Give it again then.",
  operands: [
    { name: "ID", what: "the id, as the provider shows it", missing: "give the id that the provider shows" },
  ],
  flags: {
    org: needed(flag("ID", "the organization that may send it")),
    project: flag("P", "the project whose keys may; keys without a project if not given"),
    provider: needed(flag("NAME", "the provider that keeps what it names, as the catalog calls it")),
    secret: flag(
      "NAME",
      "the secret of the account there, where the provider has several; the first if not given",
    ),
  },
  examples: {
    "vs_68a1f0 --org org_01M81Z5H5K9AHWPQ118FTWPX14 --provider openai":
      "a vector store, for the tool file_search",
  },
  async run(call) {
    const { org, project = "", provider, secret } = call.flags;
    const id = call.operand;
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, org);
    const { providers } = await catalogOf(call, stores.connection);
    const { aws, pepperSecretArn } = stores.connection;
    const peppers = readPeppers(await readSecret(aws, pepperSecretArn));
    const owner = { organization: organization.id, project };
    const marked = giveId({ id, provider, secret }, owner, { providers, peppers });
    await writeLine(
      organization,
      { kind: "provider_id_given", after: { provider, provider_id: id, project_id: project } },
      stores,
    );
    return { value: { id: marked, organization: organization.id, project_id: project || null, provider } };
  },
});

export const givenIds: CommandGroup = { title: "Ids of providers", commands: [give] };
