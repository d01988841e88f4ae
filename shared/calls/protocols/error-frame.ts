/** The last frame of a stream that failed, where it has the same error body as a whole answer. */
import type { ErrorDetail, ErrorKey } from "../../base/errors.ts";
import { errorBody } from "../../base/http/error-styles.ts";
import type { ErrorStyle } from "../../base/http/routes.ts";
import { renderFrame } from "../../base/sse/frames.ts";

/** Renders an error in a style. SDKs throw on it (protocols.md §1.3, §3.3), and nothing follows it. */
export function errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail): Buffer {
  return renderFrame(JSON.stringify(errorBody(style, key, detail)));
}
