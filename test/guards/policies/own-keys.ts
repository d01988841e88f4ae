/** Organizations' own provider keys: whose key serves, who pays what, and what nobody learns. */
import type { Row } from "#test/guards/guard.ts";

const calls = "shared/calls/gateway/own-keys";
const videos = "shared/calls/tasks/own-keys";
const console = "shared/edges/console/operations/organization-provider-keys";

export const ownKeys: Row[] = [
  {
    id: "ownkeys-1",
    test: `${calls} › is never replaced by ours`,
    guard: "return isAlone(model, keys, catalog) ? own : [...own, ...channels];",
    without: "return [...own, ...channels];",
  },
  {
    id: "ownkeys-2",
    test: `${calls} › closes no channel of ours`,
    guard: 'if (!own && (!signal.aborted || outcome === "answered")) notes.note(observed);',
    without: 'if (!signal.aborted || outcome === "answered") notes.note(observed);',
  },
  {
    id: "ownkeys-3",
    in: "calls/gateway/failures.ts",
    test: `${calls} › rings nobody's alarm`,
    guard: `  if (own) {
    deps.log("info", "own_key_failed", {`,
    without: `  if (own && !account) {
    deps.log("info", "own_key_failed", {`,
  },
  {
    id: "ownkeys-4",
    test: `${calls} › holds the fee where a call may cost more`,
    guard: "return own.alone || list < fee ? fee : list;",
    without: "return own.alone ? fee : list;",
  },
  {
    id: "ownkeys-5",
    test: `${calls} › it is taken out of errors`,
    guard: "return { headers: keyHeaders(auth as KeyAuth, key), confidential: [key] };",
    without: "return { headers: keyHeaders(auth as KeyAuth, key), confidential: [] };",
  },
  {
    id: "ownkeys-6",
    test: "shared/base/platform/envelope › opens for its organization and provider alone",
    guard: "    EncryptionContext: context,\n  });\n  const key =",
    without:
      '    EncryptionContext: { ...context, organization: "org_1", provider: "openai" },\n  });\n  const key =',
  },
  {
    id: "ownkeys-7",
    test: "shared/calls/upstreams/opened-keys › is opened anew for another organization",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it quotes code.
    guard: "const name = `${organization} ${own.sealed}`;",
    without: "const name = own.sealed;",
  },
  {
    id: "ownkeys-8",
    test: `${console} › two who give keys at the same time lose neither`,
    guard: "changes[name] ? [rowsAre(name, organization[name])] : [],",
    without: "[],",
  },
  {
    id: "ownkeys-9",
    test: `${console} › is not kept, and what it says is not told`,
    guard: "  if (refusal === undefined) return;\n",
    without: "  return;\n",
  },
  {
    id: "ownkeys-10",
    test: `${calls} › a stream of it is not noted for others`,
    guard: "if (!route || route.of < 2 || !channel || own_key) return undefined;",
    without: "if (!route || route.of < 2 || !channel) return undefined;",
  },
  {
    id: "ownkeys-11",
    test: `${videos} › is tried again where its provider limits it, and never ours`,
    guard: "const providers = own?.alone ? [] : providersLeft(model, deps);",
    without: "const providers = providersLeft(model, deps);",
  },
  {
    id: "ownkeys-12",
    test: `${videos} › that fails leaves the video to ours, at its price`,
    guard: "if (!own_key) return { organization, ...taken };",
    without: "",
  },
  {
    id: "ownkeys-13",
    test: `${videos} › that fails leaves the video to ours, at its price`,
    guard: 'const isOwn = upstream ? upstream.own_key : submission !== "unsubmitted" && own?.leads;',
    without: "const isOwn = own?.leads;",
  },
];
