/**
 * Keeps the keys that were derived. Each process of a seed derives them from the pepper, and all have the same one. It is
 * imported before the product, which takes the function from `node:crypto`.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const derive = crypto.hkdfSync;
const known = new Map<string, ArrayBuffer>();

crypto.hkdfSync = (...from) => {
  // What is no text is not told apart by its name.
  if (from.some((part) => typeof part === "object")) return derive(...from);
  const name = JSON.stringify(from);
  const key = known.get(name) ?? derive(...from);
  known.set(name, key);
  return key.slice(0);
};
syncBuiltinESMExports();
