/** The partitions of AWS whose hosts end otherwise than `amazonaws.com`, by the beginning of their regions' names. */
const hosts: readonly [regions: string, end: string][] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
];

/** How the hosts of AWS's services end in a region, such as `amazonaws.com`. AWS's own clients have the same table. */
export function hostsOf(region: string): string {
  return hosts.find(([beginning]) => region.startsWith(beginning))?.[1] ?? "amazonaws.com";
}
