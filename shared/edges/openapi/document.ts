/** The OpenAPI 3.1 document of base/http/routes.ts. Rows that differ in their client alone are one operation. */
import { routes } from "../../base/http/routes.ts";
import { errorResponses, errorSchemas, errorTable } from "./errors.ts";
import { documentedHeaders } from "./headers.ts";
import { describeOperation } from "./operation.ts";
import { ownSchemas } from "./own-schemas.ts";
import { placesOf } from "./places.ts";
import { requests } from "./requests.ts";
import { securitySchemes } from "./security.ts";

const tags = [
  [
    "Chat",
    "Calls that a model answers, in the protocol of the SDK at hand. Any model answers in any of them.",
  ],
  ["Embeddings", "Vectors of texts and pictures."],
  ["Images", "Pictures, made and edited."],
  ["Video", "Tasks that make a video. Their result is polled for."],
  ["Models", "What can be called, and how its providers do."],
  ["Keys", "API keys of the organization."],
  ["Cache", "The organization's answers that are kept."],
  ["Reports", "What was used, and why it cost what it cost."],
  ["Gateway", "Pages that need no key."],
].map(([name, description]) => ({ name, description }));

const description = `One gateway in front of many model vendors. Use the SDK of a vendor with this address as its base URL.

- A body of a vendor's protocol is free in form. The schemas have the fields that the gateway itself checks (\`x-body: vendor\`), and everything else goes to the provider as it came.
- An error has the form of the route's vendor (\`x-error-style\`). \`x-errors\` has every code. A path that is no route answers 404 (40400), and another method 405 (40500), in the style of the path's family.
- A \`{model}\` in a path may hold slashes, as they are or as \`%2F\`.
- Only the pages, the list of models below \`/api/v1/models\` and preflights need no key.
- Some operations also take a session of the console (\`session\`) in place of a key.`;

/** Makes the document of a version of the gateway. */
export function openApiDocument(version: string): object {
  const { parameters, headers } = documentedHeaders();
  const errors = errorResponses();
  const paths: Record<string, Record<string, object>> = {};
  for (const place of placesOf(routes)) {
    const operation = { [place.method.toLowerCase()]: describeOperation(place, errors) };
    paths[place.path] = { ...paths[place.path], ...operation };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Model gateway", version, description },
    servers: [{ url: "/", description: "The address that this document was read from." }],
    tags,
    paths,
    components: {
      schemas: { ...ownSchemas, ...requestSchemas(), ...errorSchemas },
      responses: errors.components(),
      parameters,
      headers,
      securitySchemes,
    },
    "x-errors": errorTable(),
  };
}

/** The bodies of the vendors' protocols by name. */
function requestSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(requests).map(([name, { schema }]) => [`Request_${name}`, schema]),
  );
}
