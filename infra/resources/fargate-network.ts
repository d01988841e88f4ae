/** Where the tasks of a service run, and the load balancer in front of them. */
import { Duration } from "aws-cdk-lib";
import {
  GatewayVpcEndpointAwsService,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { ApplicationLoadBalancer } from "aws-cdk-lib/aws-elasticloadbalancingv2";
import type { Construct } from "constructs";
import { limits } from "#shared/base/limits.ts";

/** Where a task listens. */
export const servicePort = 8080;

/** A silent call is left open for longer than a provider may be silent. */
export const balancerIdleSeconds = limits.upstreamSilenceMs / 1_000 + 10;

interface ServiceNetwork {
  vpc: IVpc;
  balancer: ApplicationLoadBalancer;
  /** Of the tasks: the balancer alone reaches them. */
  tasks: SecurityGroup;
}

/**
 * Makes a network of public subnets alone. A task calls its providers by an address of its own, because the bytes of all
 * calls through a NAT gateway would cost more than the tasks.
 */
export function createServiceNetwork(scope: Construct, isProtected: boolean): ServiceNetwork {
  const vpc = new Vpc(scope, "Vpc", {
    maxAzs: 2,
    natGateways: 0,
    subnetConfiguration: [{ name: "Public", subnetType: SubnetType.PUBLIC }],
    // No rule of ours uses that group, and clearing it takes a function.
    restrictDefaultSecurityGroup: false,
    gatewayEndpoints: {
      DynamoDB: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      S3: { service: GatewayVpcEndpointAwsService.S3 },
    },
    // Its class allows `undefined` where its interface does not.
  }) as IVpc;
  const front = new SecurityGroup(scope, "FrontGroup", { vpc, allowAllOutbound: false });
  const tasks = new SecurityGroup(scope, "TaskGroup", { vpc });
  front.addIngressRule(Peer.anyIpv4(), Port.tcp(443), "clients");
  front.addEgressRule(tasks, Port.tcp(servicePort), "tasks");
  tasks.addIngressRule(front, Port.tcp(servicePort), "load balancer");
  const balancer = new ApplicationLoadBalancer(scope, "Balancer", {
    vpc,
    internetFacing: true,
    securityGroup: front,
    idleTimeout: Duration.seconds(balancerIdleSeconds),
    deletionProtection: isProtected,
  });
  return { vpc, balancer, tasks };
}
