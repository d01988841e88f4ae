/** The error bodies of contract §7.1 as patterns, written apart from what renders them. */
import { expect } from "vitest";
import type { ErrorStyle } from "#shared/base/http/routes.ts";

const text = expect.any(String);
const number = expect.any(Number);

const shapes: Record<ErrorStyle, unknown> = {
  standard: { error: { type: text, code: number, message: text } },
  openai: { error: { type: text, code: expect.stringMatching(/^\d{5}$/), message: text } },
  anthropic: { type: "error", error: { type: text, message: text } },
  anthropic_superset: { type: "error", error: { type: text, code: number, message: text } },
  volcengine: { error: { code: text, message: text, param: text, type: text } },
  gemini: { error: { code: number, message: text, status: expect.stringMatching(/^[A-Z_]+$/) } },
  video: { error: { code: expect.stringMatching(/^[A-Z_]+$/), message: text } },
  aws: { message: text, code: number, type: text },
  problem: { type: text, title: text, status: number, detail: text },
};

/** Fails the test unless `body` is an error in this style. */
export function expectStyle(style: ErrorStyle, body: unknown): void {
  expect(body).toMatchObject(shapes[style] as object);
}
