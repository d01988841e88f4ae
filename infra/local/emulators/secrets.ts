/**
 * Secrets Manager on this machine. A value is replaced as operators do it: a version is put, and then AWSCURRENT moves.
 */
import { randomUUID } from "node:crypto";
import { actionNamed, JsonRefusal, serveJson } from "./json-protocol.ts";
import type { Listening } from "./listen.ts";

interface SecretsOptions {
  /** Makes values by ARN, each when it is first asked for. It stands in the place of the one in `values`. */
  late?: Map<string, () => Promise<string>>;
  /** Told of each value that has come into force. */
  onChange?: (arn: string, value: string) => void;
  /** Unix milliseconds. */
  now?: () => number;
}

/** A version of a secret. */
interface Version {
  id: string;
  value: string;
  written_at: number;
}

/** What a request asks for, as far as it is known here. */
interface SecretRequest {
  SecretId?: string;
  SecretString?: string;
  ClientRequestToken?: string;
  VersionStages?: string[];
  VersionStage?: string;
  MoveToVersionId?: string;
  RemoveFromVersionId?: string;
}

/** Serves the secrets by ARN. A value that is set in `values` later is in force from then on. */
export async function startSecrets(
  values: Map<string, string>,
  options: SecretsOptions = {},
): Promise<Listening> {
  const actions = createActions(values, options);
  return await serveJson("1.1", async (name, body) => {
    const asked = askedIn(body);
    await fill(values, options.late, asked.SecretId);
    return actionNamed(actions, name, "InvalidRequestException")(asked);
  });
}

/** Makes a late value, once. */
async function fill(values: Map<string, string>, late: SecretsOptions["late"], arn = ""): Promise<void> {
  const value = await late?.get(arn)?.();
  // Another request may have got it meanwhile.
  if (value !== undefined && late?.delete(arn)) values.set(arn, value);
}

type Actions = Record<string, (asked: SecretRequest) => object>;

function createActions(values: Map<string, string>, { onChange, now = Date.now }: SecretsOptions): Actions {
  const inForce = new Map<string, Version>();
  const written = new Map<string, Version>();

  /** What is in force. A value that came with `values` is its first version. */
  const current = (arn: string): Version => {
    const value = values.get(arn);
    if (value === undefined) throw new JsonRefusal("ResourceNotFoundException", `no secret ${arn}`);
    const known = inForce.get(arn);
    if (known?.value === value) return known;
    const first = { id: randomUUID(), value, written_at: now() };
    inForce.set(arn, first);
    return first;
  };

  return {
    GetSecretValue({ SecretId = "" }) {
      const { id, value, written_at } = current(SecretId);
      return { ARN: SecretId, SecretString: value, VersionId: id, CreatedDate: written_at / 1000 };
    },
    PutSecretValue({ SecretId = "", SecretString, ClientRequestToken: id = randomUUID(), VersionStages }) {
      current(SecretId);
      if (SecretString === undefined || !VersionStages || VersionStages.includes("AWSCURRENT"))
        throw new JsonRefusal("InvalidRequestException", "only a text with labels of its own is known here");
      written.set(id, { id, value: SecretString, written_at: now() });
      return { ARN: SecretId, VersionId: id, VersionStages };
    },
    UpdateSecretVersionStage({ SecretId = "", VersionStage, MoveToVersionId = "", RemoveFromVersionId }) {
      const next = written.get(MoveToVersionId);
      if (VersionStage !== "AWSCURRENT" || !next)
        throw new JsonRefusal(
          "InvalidRequestException",
          "only AWSCURRENT moves here, and to a version that is there",
        );
      if (current(SecretId).id !== RemoveFromVersionId)
        throw new JsonRefusal("InvalidParameterException", "AWSCURRENT is attached to another version");
      inForce.set(SecretId, next);
      values.set(SecretId, next.value);
      onChange?.(SecretId, next.value);
      return { ARN: SecretId };
    },
  };
}

function askedIn(body: string): SecretRequest {
  try {
    return JSON.parse(body) as SecretRequest;
  } catch {
    throw new JsonRefusal("InvalidRequestException", "the request is no JSON");
  }
}
