/** How large each function is. A stage may say another memory for the gateway (`gatewayMemoryMb`). */

export interface FunctionSize {
  memoryMb: number;
  timeoutSeconds: number;
}

const sizes = {
  // 512 MB gives 0.3 of a core, enough for signing and forwarding, and takes the largest answer (resources/fronts.md).
  gateway: { memoryMb: 512, timeoutSeconds: 900 },
  settle: { memoryMb: 256, timeoutSeconds: 30 },
  sweep: { memoryMb: 256, timeoutSeconds: 300 },
  // A provider may fetch a task's pictures before it answers.
  videoTask: { memoryMb: 256, timeoutSeconds: 120 },
  // A batch asks its models side by side, and waits for one of each at most.
  learner: { memoryMb: 256, timeoutSeconds: 60 },
  // A platform answers within five seconds or not at all. Signatures of RSA take a part of a core for a moment.
  consoleSize: { memoryMb: 512, timeoutSeconds: 30 },
};

export type FunctionSizes = Record<keyof typeof sizes, FunctionSize>;

export const functionSizes: FunctionSizes = sizes;
