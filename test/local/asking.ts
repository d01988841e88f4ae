/** How tests ask the operations of the console's document on a local gateway. */
import type { LocalGateway } from "#test/support/local.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document says what an answer has, and the tests check that.
export type Body = any;

export interface Asked {
  token?: string;
  /** In place of the path's parameter. */
  id?: string;
  query?: string;
  body?: object;
  /** In place of a body in JSON. */
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

export interface Asking {
  /** Gives the answer, which must be a success. */
  ask(name: string, asked: Asked): Promise<Body>;
  /** Gives the code of the refusal. */
  refused(name: string, asked: Asked): Promise<number>;
  send(name: string, asked: Asked): Promise<Response>;
  gateway: LocalGateway;
}
