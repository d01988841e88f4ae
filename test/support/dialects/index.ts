import type { Dialect } from "./dialect.ts";
import { hosts } from "./facts-hosts.ts";
import { labs } from "./facts-labs.ts";
import { models } from "./facts-models.ts";
import { more } from "./facts-more.ts";

/** Every vendor whose dialect is known, by the names of the default catalog. */
export const dialects: readonly Dialect[] = [...models, ...labs, ...hosts, ...more];
