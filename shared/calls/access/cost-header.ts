/**
 * What an answer was charged, in points. A stream has no such header: its charge is known only after its headers have
 * left.
 */
export function costHeader(cost_points: string): Record<string, string> {
  return { "x-gateway-cost-points": cost_points };
}
