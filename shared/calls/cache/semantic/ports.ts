/** The stores that the semantic level and the cache's statistics need, in one place: few calls do. */
import type { CacheStatistics } from "../statistics.ts";
import type { Lessons } from "./lesson.ts";
import type { SemanticStore } from "./store.ts";

export interface SemanticPorts {
  contexts: SemanticStore;
  statistics: CacheStatistics;
  lessons: Lessons;
}
