import { fixtures } from "./Fixtures.ts"

/** The environment of a gateway in front of this cloud: where its services are, and who it is to them. */
export const gatewaySettings = (url: string): Readonly<Record<string, string>> => ({
  IAAS_IDENTITY_URL: `${url}/identity/v3`,
  IAAS_COMPUTE_URL: `${url}/compute/v2.1`,
  IAAS_NETWORK_URL: `${url}/network/v2.0`,
  IAAS_VOLUME_URL: `${url}/volume/v3`,
  IAAS_IMAGE_URL: `${url}/image/v2`,
  IAAS_LOAD_BALANCER_URL: `${url}/load-balancer/v2`,
  IAAS_DNS_URL: `${url}/dns/v2`,
  IAAS_KEY_MANAGER_URL: `${url}/key-manager`,
  KEYSTONE_USER: fixtures.control.name,
  KEYSTONE_PASSWORD: fixtures.control.password,
  KEYSTONE_PROJECT: "admin",
  TENANT_PASSWORD_KEY: "tenant-password-key-of-the-simulated-cloud",
  RGW_URL: `${url}/rgw`,
  RGW_ACCESS_KEY: fixtures.rgw.accessKey,
  RGW_SECRET_KEY: fixtures.rgw.secretKey,
  KUBERNETES_URL: `${url}/kubernetes`,
  KUBERNETES_TOKEN: fixtures.kubernetes.token,
  WORKLOAD_IDENTITY_INSECURE: "true",
  BILLING_URL: `${url}/billing/v1`,
  BILLING_TOKEN: fixtures.billing.token,
  MONITORING_URL: `${url}/prometheus`,
  AUTH_URL: `${url}/idp`,
  ZITADEL_SERVICE_TOKEN: fixtures.idp.serviceToken,
  ZITADEL_ORG_ID: fixtures.idp.orgId,
  ZITADEL_PROJECT_ID: fixtures.idp.projectId,
  INTROSPECTION_CLIENT_ID: fixtures.idp.introspection.clientId,
  INTROSPECTION_CLIENT_SECRET: fixtures.idp.introspection.clientSecret,
  EDGE_DOMAIN: "edge.portico.example",
  EDGE_GATEWAY: `${fixtures.edge.namespace}/${fixtures.edge.gateway}`,
  ...resolverOf(url)
})

/** The cloud's resolver has the number of its HTTP port, for datagrams. Without sockets there is none. */
const resolverOf = (url: string): Readonly<Record<string, string>> => {
  const { host, port } = new URL(url)
  return port === "" ? {} : { DNS_RESOLVERS: host }
}
