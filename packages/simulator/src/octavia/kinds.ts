import { address, anything, type Check, flag, integer, listOf, text, uuid } from "../neutron/attributes.ts"
import type { Fields } from "./body.ts"
import type { Children } from "./state.ts"

/** The properties of one kind of child; the code is the same for all. */
export interface Kind {
  readonly kind: Children
  /** As in the body: `listener`. */
  readonly resource: string
  /** As in the URL and in a list: `listeners`. */
  readonly collection: string
  readonly fields: Fields
  /** For kinds below another child in the URL: that child's collection, and the key that references it. */
  readonly within?: { readonly kind: Children; readonly key: string }
}

const between =
  (least: number, most: number): Check =>
  (value) => {
    const checked = integer(value)
    if ("wrong" in checked) return checked
    const number = Number(checked.value)
    if (number < least) return { wrong: `Value should be greater or equal to ${least}` }
    return number > most ? { wrong: `Value should be lower or equal to ${most}` } : checked
  }

const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value) =>
    values.includes(value) ? { value } : { wrong: `Value should be one of: ${values.join(", ")}` }

const port = between(1, 65535)
const tags: Check = listOf(text)

/** `project_id` is accepted and ignored: a child belongs to its load balancer's project. */
const common: Fields = {
  name: { check: text, initial: "" },
  admin_state_up: { check: flag, initial: true },
  tags: { check: tags, initial: [] },
  project_id: { check: text, put: false, kept: false },
  tenant_id: { check: text, put: false, kept: false }
}

const described: Fields = { ...common, description: { check: text, initial: "" } }

const nothing = (...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.map((_) => [_, { check: anything, initial: null }]))

export const listeners: Kind = {
  kind: "listeners",
  resource: "listener",
  collection: "listeners",
  fields: {
    ...described,
    ...nothing(
      "default_tls_container_ref",
      "client_ca_tls_container_ref",
      "client_crl_container_ref",
      "tls_ciphers",
      "tls_versions",
      "alpn_protocols",
      "hsts_max_age"
    ),
    loadbalancer_id: { check: uuid, required: true, put: false },
    protocol: {
      check: oneOf("HTTP", "HTTPS", "TCP", "TERMINATED_HTTPS", "UDP", "SCTP", "PROMETHEUS"),
      required: true,
      put: false
    },
    protocol_port: { check: port, required: true, put: false },
    connection_limit: { check: between(-1, 2147483647), initial: -1 },
    default_pool_id: { check: uuid, initial: null },
    insert_headers: { check: anything, initial: {} },
    sni_container_refs: { check: listOf(text), initial: [] },
    timeout_client_data: { check: between(0, 31536000000), initial: 50000 },
    timeout_member_connect: { check: between(0, 31536000000), initial: 5000 },
    timeout_member_data: { check: between(0, 31536000000), initial: 50000 },
    timeout_tcp_inspect: { check: between(0, 31536000000), initial: 0 },
    client_authentication: { check: oneOf("NONE", "OPTIONAL", "MANDATORY"), initial: "NONE" },
    allowed_cidrs: { check: listOf(text), initial: null }
  }
}

export const pools: Kind = {
  kind: "pools",
  resource: "pool",
  collection: "pools",
  fields: {
    ...described,
    ...nothing("tls_container_ref", "ca_tls_container_ref", "crl_container_ref", "tls_ciphers", "tls_versions"),
    ...nothing("alpn_protocols", "session_persistence"),
    loadbalancer_id: { check: uuid, put: false },
    // Makes the pool the listener's default pool; the listener stores the reference.
    listener_id: { check: uuid, put: false, kept: false },
    protocol: {
      check: oneOf("HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP", "UDP", "SCTP"),
      required: true,
      put: false
    },
    lb_algorithm: {
      check: oneOf("ROUND_ROBIN", "LEAST_CONNECTIONS", "SOURCE_IP", "SOURCE_IP_PORT"),
      required: true
    },
    tls_enabled: { check: flag, initial: false }
  }
}

export const members: Kind = {
  kind: "members",
  resource: "member",
  collection: "members",
  within: { kind: "pools", key: "pool_id" },
  fields: {
    ...common,
    address: { check: address, required: true, put: false },
    protocol_port: { check: port, required: true, put: false },
    weight: { check: between(0, 256), initial: 1 },
    backup: { check: flag, initial: false },
    subnet_id: { check: uuid, initial: null, put: false },
    monitor_address: { check: address, initial: null },
    monitor_port: { check: port, initial: null }
  }
}

export const healthMonitors: Kind = {
  kind: "healthmonitors",
  resource: "healthmonitor",
  collection: "healthmonitors",
  fields: {
    ...common,
    ...nothing("http_method", "url_path", "expected_codes", "http_version", "domain_name"),
    pool_id: { check: uuid, required: true, put: false },
    type: {
      check: oneOf("HTTP", "HTTPS", "PING", "TCP", "TLS-HELLO", "UDP-CONNECT", "SCTP"),
      required: true,
      put: false
    },
    delay: { check: between(0, 2147483647), required: true },
    timeout: { check: between(0, 2147483647), required: true },
    max_retries: { check: between(1, 10), required: true },
    max_retries_down: { check: between(1, 10), initial: 3 }
  }
}

export const l7policies: Kind = {
  kind: "l7policies",
  resource: "l7policy",
  collection: "l7policies",
  fields: {
    ...described,
    listener_id: { check: uuid, required: true, put: false },
    action: { check: oneOf("REJECT", "REDIRECT_TO_URL", "REDIRECT_TO_POOL", "REDIRECT_PREFIX"), required: true },
    position: { check: between(1, 2147483647), initial: 2147483647 },
    ...nothing("redirect_url", "redirect_prefix", "redirect_http_code"),
    redirect_pool_id: { check: uuid, initial: null }
  }
}

export const l7rules: Kind = {
  kind: "l7rules",
  resource: "rule",
  collection: "rules",
  within: { kind: "l7policies", key: "l7policy_id" },
  fields: {
    admin_state_up: { check: flag, initial: true },
    tags: { check: tags, initial: [] },
    project_id: { check: text, put: false, kept: false },
    tenant_id: { check: text, put: false, kept: false },
    type: {
      check: oneOf("HOST_NAME", "PATH", "FILE_TYPE", "HEADER", "COOKIE", "SSL_CONN_HAS_CERT", "SSL_VERIFY_RESULT"),
      required: true
    },
    compare_type: { check: oneOf("REGEX", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "EQUAL_TO"), required: true },
    value: { check: text, required: true },
    key: { check: text, initial: null },
    invert: { check: flag, initial: false }
  }
}
