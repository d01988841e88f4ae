/** Reads from the environment where a server listens, and how long it may take to end. */
import { limits } from "#shared/base/limits.ts";

interface ListenPlace {
  /** All interfaces if undefined. */
  host: string | undefined;
  port: number;
  /** Milliseconds that calls in flight get when the process is told to end. */
  graceMs: number;
  /** Milliseconds that an idle connection is kept; those of `limits` if undefined. */
  keepAliveMs?: number;
  /** Proxies before it that nobody can pass by; none if undefined. */
  proxies?: number;
}

/**
 * A Lambda Web Function is told its address in `AWS_LAMBDA_HTTP_ENDPOINT` (aws.md §2.1), a container in `PORT` and
 * `HOST`. Throws, with what is wrong, on values that are missing or not valid.
 */
export function placeOf(env: NodeJS.ProcessEnv): ListenPlace {
  const { AWS_LAMBDA_HTTP_ENDPOINT: endpoint, PORT: port, HOST: host } = env;
  const { GRACE_SECONDS: grace, KEEP_ALIVE_SECONDS: keepAlive, PROXIES: proxies } = env;
  if (endpoint) {
    const [, bracketed, plain, number = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(endpoint) ?? [];
    return {
      host: bracketed ?? plain,
      port: portOf("AWS_LAMBDA_HTTP_ENDPOINT", endpoint, number),
      graceMs: secondsOf("GRACE_SECONDS", grace) ?? limits.webFunctionGraceMs,
    };
  }
  if (!port) throw new Error("neither AWS_LAMBDA_HTTP_ENDPOINT nor PORT says where to listen");
  const keepAliveMs = secondsOf("KEEP_ALIVE_SECONDS", keepAlive);
  return {
    host: host || undefined,
    port: portOf("PORT", port, port),
    graceMs: secondsOf("GRACE_SECONDS", grace) ?? limits.serverGraceMs,
    ...(keepAliveMs !== undefined && { keepAliveMs }),
    ...(proxies && { proxies: countOf("PROXIES", proxies) }),
  };
}

function countOf(name: string, text: string): number {
  if (!/^\d$/.test(text)) throw new Error(`${name}=${text} is not a number from 0 to 9`);
  return Number(text);
}

function portOf(name: string, text: string, number: string): number {
  if (!/^\d{1,5}$/.test(number) || Number(number) > 65_535) throw new Error(`${name}=${text} names no port`);
  return Number(number);
}

/** The variable's seconds in milliseconds, if it is set. */
function secondsOf(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (!/^\d{1,3}$/.test(text)) throw new Error(`${name}=${text} is not a number of seconds from 0 to 999`);
  return Number(text) * 1_000;
}
