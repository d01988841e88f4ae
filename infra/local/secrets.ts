/** Secrets Manager on this machine: `GetSecretValue` over HTTP, from a map. */
import { createServer } from "node:http";
import { type Listening, listen } from "./listen.ts";

/** Serves the secrets by ARN. */
export async function startSecrets(values: ReadonlyMap<string, string>): Promise<Listening> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify(body));
    };
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      if (request.headers["x-amz-target"] !== "secretsmanager.GetSecretValue") {
        answer(400, { __type: "InvalidRequestException", message: "only GetSecretValue is known here" });
        return;
      }
      const arn = secretIdIn(text);
      const value = values.get(arn);
      if (value === undefined)
        answer(400, { __type: "ResourceNotFoundException", message: `no secret ${arn}` });
      else answer(200, { ARN: arn, SecretString: value, VersionId: "local" });
    });
  });
  return await listen(server, 0);
}

function secretIdIn(body: string): string {
  try {
    return String((JSON.parse(body) as { SecretId?: unknown }).SecretId);
  } catch {
    return "";
  }
}
