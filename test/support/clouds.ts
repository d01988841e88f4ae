/** Credentials of the clouds for tests: the process has a role whose keys are made up. */
import { send } from "#shared/base/platform/http-client.ts";
import type { CloudDeps } from "#shared/calls/upstreams/credentials/credential.ts";
import { type Clouds, createClouds } from "#shared/calls/upstreams/credentials/index.ts";

/** The keys of the process's role. */
export const roleKeys = {
  accessKeyId: "ASIATESTROLE0000001",
  secretAccessKey: "own-secret-access-key",
  sessionToken: "own-session-token",
};

/** Nothing is asked or read before a call needs it. `change` takes the place of what the process gives. */
export function testClouds(change: Partial<CloudDeps> = {}): Clouds {
  return createClouds({
    aws: { region: "us-east-1", credentials: () => roleKeys },
    send,
    now: Date.now,
    ...change,
  });
}
