/**
 * Deployments of Azure OpenAI (Microsoft, "Azure OpenAI REST API reference"): the channel's model is the name of a
 * deployment, and stands in the path. The newer v1 API has OpenAI's own paths, and needs no host.
 */
import type { CloudHost } from "./host.ts";

/** The last version of the API with a date that is no preview. What is newer is in the v1 API alone. */
const version = "2024-10-21";

export const azure: CloudHost = {
  request: ({ path, headers, body }, { model }) => ({
    path: `/openai/deployments/${encodeURIComponent(model)}${path}?api-version=${version}`,
    headers,
    body,
  }),
};
