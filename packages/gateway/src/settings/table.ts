import { TenantMap } from "@portico/domain/access/Callers"
import { ArchiveEndpoint } from "@portico/domain/databases/Archives"
import { Zones } from "@portico/domain/dns/DnsSettings"
import { Name, NamespacedName } from "@portico/domain/edge/EdgeSettings"
import { Names as Namespaces, privateNetworks, usualNamespaces } from "@portico/domain/kubernetes/ClusterSettings"
import { tiers } from "@portico/contract/Tiers"
import { ExactRanges, Ranges } from "@portico/upstream/addresses"
import { Servers } from "@portico/upstream/dns/Resolver"
import { Brokers, mechanisms, Prefix } from "@portico/upstream/kafka/settings"
import { Sender } from "@portico/upstream/mail/settings"
import { Option, Schema } from "effect"
import { Sentinels } from "../limits/redis.ts"
import { LogFormat } from "../observability/logs.ts"
import { count, flag, key, oneOf, secret, text, textThat, url } from "./kinds.ts"

/** What the start check knows of a setting. */
export interface Setting {
  /** The valid values. */
  readonly value: Schema.Codec<unknown, string>
  /** Whether the setting is required; or the other setting that makes it required, and one that can replace it. */
  readonly needed?: true | { readonly with: string; readonly unless: string | undefined }
  /** The default as text; absent where there is none, or none that can be written as text. */
  readonly usual?: string
}

const required = (value: Setting["value"]): Setting => ({ value, needed: true })

/** Required together with another setting. */
const requiredWith = (other: string, value: Setting["value"], unless?: string): Setting => ({
  value,
  needed: { with: other, unless }
})

const optional = (value: Setting["value"]): Setting => ({ value })

const usually = (usual: string | number | boolean, value: Setting["value"]): Setting => ({
  value,
  usual: String(usual)
})

/** An interval or a time-out. */
const seconds = (usual: number): Setting => usually(usual, count(1))

const port = count(0, 65_535)

const origins = textThat("origins, separated by commas, such as https://app.example.com", (text) =>
  text.split(",").every((origin) => URL.parse(origin.trim())?.origin === origin.trim())
)

const levels = ["All", "Fatal", "Error", "Warn", "Info", "Debug", "Trace", "None"]

const plane = (name: "CUSTOMER" | "OPERATOR" | "AGENT", usualPort: number) => ({
  [`${name}_HOST`]: usually("127.0.0.1", text),
  [`${name}_PORT`]: usually(usualPort, port),
  [`${name}_TLS_CERT_FILE`]: requiredWith(`${name}_TLS_KEY_FILE`, text),
  [`${name}_TLS_KEY_FILE`]: requiredWith(`${name}_TLS_CERT_FILE`, text),
  [`${name}_PUBLIC_URL`]: optional(url)
})

/** A positive number of seconds, with decimals. */
const pause = textThat(
  "a number of seconds above 0",
  (text) => /^\d{1,9}(?:\.\d{1,3})?$/.test(text) && Number(text) > 0
)

/** Checked here without the decoder's own message, which would repeat the value. */
const tenantMap = textThat('JSON that names projects by user ids: {"<user id>": "<project id>"}', (text) =>
  Option.isSome(Schema.decodeUnknownOption(TenantMap)(text))
)

const database = textThat("postgres://user:password@host:port/database", (text) =>
  /^postgres(?:ql)?:$/.test(URL.parse(text)?.protocol ?? "")
)

const redis = textThat("redis://user:password@host:port, or rediss:// for TLS", (text) =>
  /^rediss?:$/.test(URL.parse(text)?.protocol ?? "")
)

/**
 * Every setting of the gateway, in the order of `docker/env.example`, for the check before a start. Each consumer
 * reads its settings itself; a test compares names and defaults in the table, in the consumers and in
 * `docker/env.example`.
 */
export const table: Readonly<Record<string, Setting>> = {
  ...plane("CUSTOMER", 8080),
  ...plane("OPERATOR", 8081),
  ...plane("AGENT", 8082),
  AGENT_ALLOWED_ORIGINS: usually("", origins),
  TRUSTED_PROXIES: usually("", Ranges),
  LOG_FORMAT: usually("json", LogFormat),
  LOG_LEVEL: usually("Info", oneOf(levels)),
  OTLP_URL: optional(url),

  PORTICO_PROCESSES: usually(1, count(1, 64)),
  CUSTOMER_CONNECTIONS: usually(4096, count(1)),
  OPERATOR_CONNECTIONS: usually(512, count(1)),
  AGENT_CONNECTIONS: usually(4096, count(1)),
  HELD_ANSWERS_MIB: usually(256, count(1)),
  ANSWER_STALL_SECONDS: seconds(30),
  KEEP_ALIVE_SECONDS: usually(3700, count(1, 86_400)),
  STOP_KEEP_ALIVE_SECONDS: usually(5, count(0, 15)),
  REQUEST_BODY_SECONDS: seconds(30),
  PROXY_CALLS_PER_SERVICE: usually(128, count(1)),
  PROXY_QUEUE_SECONDS: seconds(2),
  IDENTITY_PROVIDER_CONCURRENCY: usually(32, count(1)),

  KAFKA_BROKERS: optional(Brokers),
  KAFKA_TLS: usually(false, flag),
  KAFKA_USERNAME: optional(text),
  KAFKA_PASSWORD: requiredWith("KAFKA_USERNAME", secret),
  KAFKA_SASL_MECHANISM: usually("scram-sha-512", oneOf(mechanisms)),
  KAFKA_TOPIC_PREFIX: usually("", Prefix),
  KAFKA_PARTITIONS: usually(6, count(1)),
  KAFKA_REPLICATION: usually(3, count(1)),
  KAFKA_RELAY_SECONDS: seconds(1),

  RATE_LIMIT: usually(true, flag),
  RATE_LIMIT_RPM_DISCOVERY: usually(tiers.discovery.api_rpm, count(1)),
  RATE_LIMIT_RPM_STANDARD: usually(tiers.standard.api_rpm, count(1)),
  RATE_LIMIT_RPM_EXTENSION: usually(tiers.extension.api_rpm, count(1)),
  REDIS_URL: requiredWith("REDIS_SENTINELS", redis),
  REDIS_SENTINELS: optional(Sentinels),
  REDIS_SENTINEL_NAME: usually("mymaster", text),
  REDIS_SENTINEL_PASSWORD: optional(secret),

  SMTP_URL: optional(secret),
  MAIL_FROM: requiredWith("SMTP_URL", Sender),
  MAIL_PER_HOUR: usually(60, count(1, 100_000)),
  MAIL_CONFIRMATIONS_PER_HOUR: usually(20, count(1, 100_000)),
  INVITATION_MAILS_PER_HOUR: usually(50, count(1, 100_000)),

  SIGNUPS_TOTAL: usually(300, count(0)),
  SIGNUPS_PER_SOURCE: usually(30, count(0)),
  SIGNUPS_PER_EMAIL: usually(3, count(0)),

  DATABASE_URL: required(database),
  DATABASE_CONNECTIONS: usually(20, count(3)),
  DATABASE_STATEMENT_SECONDS: usually(5, count(1, 60)),
  EVENT_STREAMS_PER_TENANT: usually(20, count(0)),
  EVENT_STREAMS_TOTAL: usually(1000, count(0)),
  AUDIT_EXPORTS_PER_TENANT: usually(2, count(0)),
  AUDIT_EXPORTS_TOTAL: usually(20, count(0)),
  BACKGROUND_JOBS: usually("here", oneOf(["here", "elsewhere"])),
  SWEEP_SECONDS: seconds(15),
  PROBE_SECONDS: seconds(15),
  IDEMPOTENCY_HOURS: usually(24, count(1, 720)),
  PURGE_SECONDS: seconds(2),
  ACCOUNTS_SECONDS: seconds(1),
  AUTOSCALING_SECONDS: seconds(1),
  ALARMS_SECONDS: seconds(5),
  ALARM_INTERVAL_SECONDS: seconds(60),
  ALARM_GRACE_SECONDS: usually(300, count(0)),
  DELIVERIES_SECONDS: usually(1, pause),
  WEBHOOK_WORKERS: usually(64, count(4)),
  WEBHOOK_ATTEMPT_SECONDS: seconds(5),
  WEBHOOK_DISABLE_FAILURES: usually(20, count(1)),
  WEBHOOK_DISABLE_HOURS: usually(24, count(0)),
  WEBHOOK_REFUSE_ADDRESSES: usually("", Ranges),
  WEBHOOK_ALLOW_ADDRESSES: usually("", Ranges),
  WEBHOOK_ALLOW_HTTP: usually(false, flag),
  USAGE_SECONDS: seconds(1),
  ACCOUNT_CLOSURE_DAYS: usually(30, count(0, 3650)),

  IAAS_IDENTITY_URL: required(url),
  IAAS_COMPUTE_URL: required(url),
  IAAS_NETWORK_URL: required(url),
  IAAS_VOLUME_URL: required(url),
  IAAS_IMAGE_URL: required(url),
  IAAS_LOAD_BALANCER_URL: required(url),
  IAAS_DNS_URL: optional(url),
  IAAS_KEY_MANAGER_URL: optional(url),
  DNS_RESOLVERS: usually("", Servers),
  PLATFORM_DNS_ZONES: usually("", Zones),
  DNS_ZONE_EMAIL: usually("hostmaster@{zone}", text),
  OPENSTACK_COMPATIBILITY: usually(false, flag),
  OPENSTACK_REGION: usually("RegionOne", text),
  UPSTREAM_CA_FILE: optional(text),

  KUBERNETES_URL: optional(url),
  KUBERNETES_TOKEN: requiredWith("KUBERNETES_URL", secret, "KUBERNETES_TOKEN_FILE"),
  KUBERNETES_TOKEN_FILE: optional(text),
  KUBERNETES_CA_FILE: optional(text),
  KUBERNETES_IDLE_SECONDS: seconds(3600),
  KUBERNETES_TENANT_RESOURCES: usually("backups.postgresql.cnpg.io", Schema.String),
  KUBERNETES_PLATFORM_NAMESPACES: usually(usualNamespaces, Namespaces),
  KUBERNETES_DNS_NAMESPACES: usually("kube-system", Namespaces),
  KUBERNETES_DENIED_NETWORKS: usually(privateNetworks, ExactRanges),
  KUBERNETES_ALLOWED_NETWORKS: usually("", ExactRanges),
  KUBERNETES_API_NETWORKS: usually("", ExactRanges),
  KUBERNETES_STREAMS_PER_TENANT: usually(100, count(0)),
  KUBERNETES_STREAMS_TOTAL: usually(2000, count(0)),
  UPLOADS_PER_TENANT: usually(200, count(0)),
  UPLOADS_TOTAL: usually(2000, count(0)),
  PROXY_ANSWER_SECONDS: seconds(60),
  PROXY_IDLE_SECONDS: seconds(300),

  EDGE_DOMAIN: usually("edge.localhost", Name),
  EDGE_GATEWAY: usually("portico-edge/public", NamespacedName),
  EDGE_CLAIM_HOURS: usually(72, count(1, 8760)),
  EDGE_TARGET_NETWORKS: usually("", ExactRanges),
  EDGE_SECONDS: seconds(10),
  EDGE_SWEEP_SECONDS: seconds(300),

  MONITORING_URL: optional(url),
  MONITORING_TOKEN: optional(secret),
  BILLING_URL: optional(url),
  BILLING_TOKEN: requiredWith("BILLING_URL", secret),
  BILLING_RELAY_SECONDS: seconds(1),
  BILLING_RECONCILE_SECONDS: seconds(900),
  BILLING_BUDGET_SECONDS: seconds(60),

  KEYSTONE_USER: required(text),
  KEYSTONE_PASSWORD: required(secret),
  KEYSTONE_PROJECT: required(text),
  KEYSTONE_DOMAIN_ID: usually("default", text),
  KEYSTONE_TENANT_ROLES: usually("member,load-balancer_member,creator", text),
  TENANT_PASSWORD_KEY: required(key),
  ACCEPTED_TENANT_PASSWORD_KEY: optional(key),

  EXTERNAL_NETWORK_ID: optional(text),
  TENANT_SUBNET_CIDR: usually("10.0.0.0/24", text),
  TENANT_DNS_NAMESERVERS: usually("", text),

  RGW_URL: required(url),
  RGW_ACCESS_KEY: required(text),
  RGW_SECRET_KEY: required(secret),
  RGW_REGION: usually("default", text),
  OBJECT_STORAGE_PUBLIC_URL: optional(url),
  RGW_TENANT: usually("tenant", text),
  DATABASE_ARCHIVE_ENDPOINT: optional(ArchiveEndpoint),
  DATABASE_ARCHIVE_CA_FILE: optional(text),

  AUTH_URL: required(url),
  ZITADEL_SERVICE_TOKEN: required(secret),
  ZITADEL_ORG_ID: required(text),
  ZITADEL_PROJECT_ID: required(text),
  ROLES_CLAIM: optional(text),
  TOKEN_AUDIENCE: optional(text),
  INTROSPECTION_CLIENT_ID: required(text),
  INTROSPECTION_CLIENT_SECRET: required(secret),
  CLI_CLIENT_ID: optional(text),
  CONSOLE_CLIENT_ID: optional(text),
  CONSOLE_DIR: optional(text),
  ADMIN_ROLE: usually("admin", text),
  TENANT_MAP: usually("{}", tenantMap),

  WORKLOAD_IDENTITY_INSECURE: usually(false, flag),
  REGISTRY_SERVICE: usually("registry", text),
  REGISTRY_ISSUER: usually("portico", text),
  REGISTRY_KEY_DAYS: usually(90, count(1, 3650)),
  REGISTRY_KEY_AHEAD_DAYS: usually(7, count(1, 3650)),

  SELLABLE_CORES: required(count(0)),
  SELLABLE_RAM_GIB: required(count(0)),
  SELLABLE_BLOCK_GIB: required(count(0)),
  SELLABLE_OBJECT_GIB: required(count(0)),
  SELLABLE_FLOATING_IPS: required(count(0))
}
