/**
 * The objects that exist before the first tenant: the ids and throw-away secrets with which a gateway reaches
 * the cloud. They are constant, so that a configuration can name them.
 */
export const fixtures = {
  domainId: "default",
  adminProjectId: "ad0000000000000000000000000000ad",
  control: { userId: "c0000000000000000000000000000001", name: "portico", password: "control-password" },
  roles: {
    admin: "50000000000000000000000000000ad0",
    manager: "50000000000000000000000000000a01",
    member: "50000000000000000000000000000e01",
    reader: "50000000000000000000000000000ead",
    loadBalancerMember: "50000000000000000000000000001b01",
    creator: "50000000000000000000000000000c01",
    keyManagerServiceAdmin: "50000000000000000000000000000c02"
  },
  externalNetworkId: "e0000000-0000-4000-8000-000000000001",
  externalSubnetId: "e0000000-0000-4000-8000-000000000002",
  rgw: { uid: "gateway", accessKey: "GATEWAYACCESSKEY0001", secretKey: "gateway-secret-key" },
  kubernetes: {
    namespace: "portico",
    /** With the rights of docs/operators/kubernetes.md, so that it may impersonate any user. */
    serviceAccount: "portico-gateway",
    token: "kubernetes-token-of-the-gateway",
    /** In the group system:masters, which may do everything: whoever set the cluster up. */
    administratorToken: "kubernetes-token-of-the-administrator"
  },
  /** The gateway that the platform's HTTP routes attach to. */
  edge: { namespace: "portico-edge", gateway: "public", gatewayClass: "public" },
  billing: { token: "billing-token-of-the-gateway" },
  idp: {
    orgId: "100000000000000001",
    projectId: "100000000000000002",
    /** The API application that introspects; the `@` makes a wrong encoding of the pair visible. */
    introspection: { clientId: "100000000000000003@portico", clientSecret: "introspection:secret%" },
    /** The service user that manages machine users. */
    serviceUserId: "100000000000000004",
    serviceToken: "service-pat-of-the-gateway",
    /** A service user with the platform administrator role. Human users cannot have such a token. */
    operatorUserId: "100000000000000005",
    operatorToken: "operator-token"
  }
} as const
