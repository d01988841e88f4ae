/**
 * Anthropic's own name of a model, which its answers have at Bedrock too: `claude-opus-4-8` for
 * `us.anthropic.claude-opus-4-8-v1:0`. What is no model of Anthropic's stays as it is.
 */
export function claudeAt(model: string): string {
  return /(?:^|[./])anthropic\.(.+?)(?:-v\d+(?::\d+)?)?$/.exec(model)?.[1] ?? model;
}
