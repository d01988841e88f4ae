/** Passkeys: what keeps others from signing in by them, and from adding theirs. */
import type { Row } from "#test/guards/guard.ts";

const passkeys = "shared/edges/console/operations/passkeys";

export const passkeyRows: Row[] = [
  {
    id: "passkey-1",
    test: `${passkeys} › a young session of a code, and none of a provider`,
    guard: `  readFields(call.request, []);
  requireOwn(call, deps);
  const there`,
    without: "  const there",
  },
  {
    id: "passkey-2",
    test: `${passkeys} › the session that began, and no other one`,
    guard: "if (attempt.adding?.user !== user.id || attempt.adding.session !== session.id)",
    without: "if (!attempt.adding)",
  },
  {
    id: "passkey-3",
    test: `${passkeys} › an attempt to sign in adds none, and one to add signs nobody in`,
    guard: "if (attempt.adding) throw wrongPasskey();",
    without: "",
  },
  {
    id: "passkey-4",
    test: `${passkeys} › certificates in a statement of %s are refused unread`,
    guard:
      'if (format !== "none" && !isSelfSigned) throw new PasskeyError("certificates were not asked for");',
    without: "",
  },
  {
    id: "passkey-8",
    test: `${passkeys} › a spelling that two decoders read as different bytes is refused unread`,
    guard:
      'if (bytes.toString("base64url") !== text) throw new PasskeyError("the answer is not in base64url");',
    without: "",
    rule: "a statement with certificates could pass for one without, and the library would fetch what they name",
  },
  {
    id: "passkey-5",
    test: `${passkeys} › ends in the browser that began it, within five minutes, and once`,
    guard: "if (attempt && (await spendAttempt(attempt.challenge, attempt.ends_at, deps))) return attempt;",
    without: "if (attempt) return attempt;",
  },
  {
    id: "passkey-6",
    test: `${passkeys} › by one that was made for another address of the console is refused`,
    guard: "const { origin, credential, public_key, counter, transports } = passkey;",
    without:
      'const { credential, public_key, counter, transports } = passkey;\n    const origin = "https://console.example";',
  },
  {
    id: "passkey-7",
    test: `${passkeys} › with a counter that goes back is refused: there is a copy of the key`,
    guard: "...{ id: credential, counter, transports: transportsOf(transports) },",
    without: "...{ id: credential, counter: 0, transports: transportsOf(transports) },",
  },
];
