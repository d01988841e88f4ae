/** Reads from the environment where a server listens, and how long it may take to end. */
import { limits } from "#shared/base/limits.ts";

interface ListenPlace {
  /** All interfaces if undefined. */
  host: string | undefined;
  port: number;
  /** Milliseconds that calls in flight get when the process is told to end. */
  graceMs: number;
}

/**
 * A Lambda Web Function is told its address in `AWS_LAMBDA_HTTP_ENDPOINT` (aws.md §2.1), a container in `PORT` and
 * `HOST`. Throws, with what is wrong, on values that are missing or not valid.
 */
export function placeOf(env: NodeJS.ProcessEnv): ListenPlace {
  const { AWS_LAMBDA_HTTP_ENDPOINT: endpoint, PORT: port, HOST: host, GRACE_SECONDS: grace } = env;
  if (endpoint) {
    const [, bracketed, plain, number = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(endpoint) ?? [];
    return {
      host: bracketed ?? plain,
      port: portOf("AWS_LAMBDA_HTTP_ENDPOINT", endpoint, number),
      graceMs: graceOf(grace, limits.webFunctionGraceMs),
    };
  }
  if (!port) throw new Error("neither AWS_LAMBDA_HTTP_ENDPOINT nor PORT says where to listen");
  return {
    host: host || undefined,
    port: portOf("PORT", port, port),
    graceMs: graceOf(grace, limits.serverGraceMs),
  };
}

function portOf(name: string, text: string, number: string): number {
  if (!/^\d{1,5}$/.test(number) || Number(number) > 65_535) throw new Error(`${name}=${text} names no port`);
  return Number(number);
}

function graceOf(text: string | undefined, usual: number): number {
  if (!text) return usual;
  if (!/^\d{1,3}$/.test(text))
    throw new Error(`GRACE_SECONDS=${text} is not a number of seconds from 0 to 999`);
  return Number(text) * 1_000;
}
