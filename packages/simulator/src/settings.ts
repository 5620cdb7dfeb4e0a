import { fixtures } from "./Fixtures.ts"
import { consoleClientId, nativeClientId } from "./zitadel/state.ts"

/** Where the clients of each service find it: the address that a configuration names. */
export const addresses = (url: string) => ({
  keystone: `${url}/identity/v3`,
  nova: `${url}/compute/v2.1`,
  neutron: `${url}/network/v2.0`,
  cinder: `${url}/volume/v3`,
  glance: `${url}/image/v2`,
  octavia: `${url}/load-balancer/v2`,
  designate: `${url}/dns/v2`,
  barbican: `${url}/key-manager`,
  rgw: `${url}/rgw`,
  zitadel: `${url}/idp`,
  kubernetes: `${url}/kubernetes`,
  billing: `${url}/billing/v1`,
  prometheus: `${url}/prometheus`,
  resolver: `${url}/resolver/dns-query`
})

/** The environment of a gateway for this cloud: the services' URLs and the gateway's credentials. */
export const gatewaySettings = (url: string): Readonly<Record<string, string>> => {
  const at = addresses(url)
  return {
    IAAS_IDENTITY_URL: at.keystone,
    IAAS_COMPUTE_URL: at.nova,
    IAAS_NETWORK_URL: at.neutron,
    IAAS_VOLUME_URL: at.cinder,
    IAAS_IMAGE_URL: at.glance,
    IAAS_LOAD_BALANCER_URL: at.octavia,
    IAAS_DNS_URL: at.designate,
    IAAS_KEY_MANAGER_URL: at.barbican,
    KEYSTONE_USER: fixtures.control.name,
    KEYSTONE_PASSWORD: fixtures.control.password,
    KEYSTONE_PROJECT: "admin",
    TENANT_PASSWORD_KEY: "tenant-password-key-of-the-simulated-cloud",
    RGW_URL: at.rgw,
    RGW_ACCESS_KEY: fixtures.rgw.accessKey,
    RGW_SECRET_KEY: fixtures.rgw.secretKey,
    KUBERNETES_URL: at.kubernetes,
    KUBERNETES_TOKEN: fixtures.kubernetes.token,
    WORKLOAD_IDENTITY_INSECURE: "true",
    BILLING_URL: at.billing,
    BILLING_TOKEN: fixtures.billing.token,
    MONITORING_URL: at.prometheus,
    AUTH_URL: at.zitadel,
    ZITADEL_SERVICE_TOKEN: fixtures.idp.serviceToken,
    ZITADEL_ORG_ID: fixtures.idp.orgId,
    ZITADEL_PROJECT_ID: fixtures.idp.projectId,
    INTROSPECTION_CLIENT_ID: fixtures.idp.introspection.clientId,
    CLI_CLIENT_ID: nativeClientId,
    CONSOLE_CLIENT_ID: consoleClientId,
    INTROSPECTION_CLIENT_SECRET: fixtures.idp.introspection.clientSecret,
    EDGE_DOMAIN: "edge.portico.example",
    EDGE_GATEWAY: `${fixtures.edge.namespace}/${fixtures.edge.gateway}`,
    ...resolverOf(url)
  }
}

/** The cloud's resolver has the HTTP port's number, for UDP. Without sockets there is none. */
const resolverOf = (url: string): Readonly<Record<string, string>> => {
  const { host, port } = new URL(url)
  return port === "" ? {} : { DNS_RESOLVERS: host }
}
