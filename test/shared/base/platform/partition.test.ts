/** In which domain a region's services are: as AWS's own clients know it. */
import { partition } from "@aws-sdk/core/client";
import { expect, test } from "vitest";
import { hostsOf } from "#shared/base/platform/partition.ts";

test.each([
  ["us-east-1", "amazonaws.com"],
  ["eu-central-1", "amazonaws.com"],
  ["us-gov-west-1", "amazonaws.com"],
  ["cn-north-1", "amazonaws.com.cn"],
  ["cn-northwest-1", "amazonaws.com.cn"],
  ["eusc-de-east-1", "amazonaws.eu"],
  ["us-iso-east-1", "c2s.ic.gov"],
  ["us-isob-east-1", "sc2s.sgov.gov"],
  ["us-isof-south-1", "csp.hci.ic.gov"],
  ["eu-isoe-west-1", "cloud.adc-e.uk"],
])("the hosts of %s end with %s", (region, end) => {
  expect([hostsOf(region), partition(region).dnsSuffix]).toEqual([end, end]);
});
