/** Where a written value goes: its place, its form, the programs that read it one after the other, and the rule of the last. */
export interface Chain {
  readonly at: string
  readonly form: RegExp
  readonly readers: string
  readonly source: string
}

const label = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
const name = new RegExp(`^${label}$`)
const size = /^[1-9]\d*Gi$/
const key = /^ACCESS_(?:KEY_ID|SECRET_KEY)$/

type Row = readonly [place: string, form: RegExp, readers: string, source: string]

const under = (parent: string, rows: ReadonlyArray<Row>): ReadonlyArray<Chain> =>
  rows.map(([place, form, readers, source]) => ({ at: `${parent}${place}`, form, readers, source }))

const container = "operator, kubelet"
const quantities: ReadonlyArray<Row> = ["requests", "limits"].flatMap((_): ReadonlyArray<Row> => [
  [`.${_}.cpu`, /^(?:\d+m|\d+)$/, container, "apimachinery, resource.Quantity"],
  [`.${_}.memory`, /^\d+(?:Mi|Gi)$/, container, "apimachinery, resource.Quantity; Strimzi derives the heap from it"]
])

const barman = "operator, command line of barman-cloud"
const store: ReadonlyArray<Row> = [
  [
    ".destinationPath",
    /^s3:\/\/[a-z0-9][a-z0-9-]{1,61}[a-z0-9]\/$/,
    `${barman}, restore_command of PostgreSQL, shell`,
    "1.27.1 getRestoreWalConfig: without quotes"
  ],
  [
    ".endpointURL",
    /^https?:\/\/[\w.:[\]~/-]+$/,
    `${barman}, restore_command of PostgreSQL, shell`,
    "1.27.1 getRestoreWalConfig: without quotes"
  ],
  [
    ".serverName",
    /^[a-z][-a-z0-9]{0,49}-[0-9a-f]{8}$/,
    `${barman}, restore_command of PostgreSQL, shell`,
    "1.27.1 getRestoreWalConfig: without quotes; key of S3"
  ],
  [".s3Credentials.accessKeyId.name", name, "operator, Secret", "1.27.1 EnvSetRestoreCloudCredentials"],
  [".s3Credentials.accessKeyId.key", key, "operator, Secret", "1.27.1 EnvSetRestoreCloudCredentials"],
  [".s3Credentials.secretAccessKey.name", name, "operator, Secret", "1.27.1 EnvSetRestoreCloudCredentials"],
  [".s3Credentials.secretAccessKey.key", key, "operator, Secret", "1.27.1 EnvSetRestoreCloudCredentials"]
]

const identifier = /^[a-z_][a-z0-9_]{0,62}$/

const postgres: ReadonlyArray<Row> = [
  ["spec.instances", /^[1-3]$/, "operator", "CRD: integer"],
  [
    "spec.imageName",
    /^[a-z0-9./-]+:\d+\.\d+[a-z0-9.-]*$/,
    "operator (major version), kubelet",
    "1.27.1 validateImageName"
  ],
  ["spec.storage.size", size, "operator, volume claim", "1.27.1 validateStorageSize"],
  ["spec.postgresql.synchronous.method", /^any$/, "operator, synchronous_standby_names", "CRD: enum"],
  [
    "spec.postgresql.synchronous.number",
    /^1$/,
    "operator, synchronous_standby_names",
    "1.27.1 validateSynchronousReplicaConfiguration"
  ],
  ["spec.postgresql.synchronous.dataDurability", /^(?:preferred|required)$/, "operator", "CRD: enum"],
  ["spec.bootstrap.initdb.database", identifier, "operator, SQL", "PostgreSQL, NAMEDATALEN"],
  ["spec.bootstrap.initdb.owner", identifier, "operator, SQL", "PostgreSQL, NAMEDATALEN"],
  ["spec.bootstrap.recovery.source", name, "operator, externalClusters", "1.27.1 validateBootstrapRecoverySource"],
  ["spec.bootstrap.recovery.database", identifier, "operator, SQL", "PostgreSQL, NAMEDATALEN"],
  ["spec.bootstrap.recovery.owner", identifier, "operator, SQL", "PostgreSQL, NAMEDATALEN"],
  [
    "spec.bootstrap.recovery.recoveryTarget.targetTime",
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00:00$/,
    "webhook (lib/pq), barman-cloud's catalog, recovery_target_time of PostgreSQL",
    "machinery v0.3.1 ParseTargetTime, ConvertToPostgresFormat; PostgreSQL check_recovery_target_time"
  ],
  ["spec.externalClusters[].name", name, "operator", "1.27.1 validateExternalClusters"],
  [
    "spec.backup.retentionPolicy",
    /^(?:[1-9]\d{0,2})d$/,
    `${barman} (RECOVERY WINDOW OF)`,
    "1.27.1 validateRetentionPolicy"
  ],
  ["spec.backup.barmanObjectStore.wal.compression", /^gzip$/, barman, "CRD: enum"],
  ["spec.backup.barmanObjectStore.data.compression", /^gzip$/, barman, "CRD: enum"],
  ["spec.env[].name", /^AWS_[A-Z_]+$/, "operator, boto3", "1.27.1 validateEnv"],
  ["spec.env[].value", /^when_required$/, "operator, boto3", "botocore, request_checksum_calculation"]
]

const kafkaConfig = [
  "offsets.topic.replication.factor",
  "transaction.state.log.replication.factor",
  "transaction.state.log.min.isr",
  "default.replication.factor",
  "min.insync.replicas"
]

const listeners = "spec.kafka.listeners[]"
const selector = `${listeners}.networkPolicyPeers[].namespaceSelector.matchExpressions[]`

const volumes: ReadonlyArray<Row> = [
  ["[].id", /^0$/, "Strimzi, name of the volume claim", "StorageUtils, VolumeUtils"],
  ["[].type", /^persistent-claim$/, "Strimzi", "CRD: enum"],
  ["[].size", size, "Strimzi, volume claim", "StorageUtils.convertToMillibytes"],
  ["[].kraftMetadata", /^shared$/, "Strimzi, log.dirs", "CRD: enum"],
  ["[].deleteClaim", /^true$/, "Strimzi", "CRD: boolean"]
]

const reference = "Gateway API"
const hostname = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})+$`)
const port = /^[1-9]\d{0,4}$/

/** Ceph reads quotas as signed numbers of 64 bits, of which JavaScript's have 53. */
const quota = /^(?:-1|0|[1-9]\d{0,14})$/
const admin = "object gateway (rgw admin)"

/** Every value that an operator or a service reads, or hands to another program. For cert-manager nothing is written. */
export const chains: ReadonlyArray<Chain> = [
  ...under("Cluster ", postgres),
  ...under("Cluster spec.resources", quantities),
  ...under("Cluster spec.backup.barmanObjectStore", store),
  ...under("Cluster spec.externalClusters[].barmanObjectStore", store),
  ...under(
    "clusters ",
    postgres.filter(([place]) => /^spec\.(?:instances|storage|postgresql)/.test(place))
  ),
  ...under("ScheduledBackup spec", [
    [
      ".schedule",
      /^\d\d? \d\d? \S+ \S+ \S+ \S+$/,
      "operator (robfig/cron 1.2.0: seconds first)",
      "1.27.1 ScheduledBackup webhook"
    ],
    [".immediate", /^true$/, "operator", "CRD: boolean"],
    [".backupOwnerReference", /^none$/, "operator", "CRD: enum"],
    [".method", /^barmanObjectStore$/, "operator", "CRD: enum"],
    [".cluster.name", name, "operator, label cnpg.io/cluster", "label values have 63 characters"]
  ]),
  ...under("Secret ", [
    ["type", /^Opaque$/, "API server", "core/v1"],
    // The key's name has a `$`, which only a pod's specification would expand: the operator sets the variable itself.
    [
      "data.ACCESS_KEY_ID",
      /^[A-Za-z0-9+/]+=*$/,
      "operator, environment of barman-cloud, boto3",
      "1.27.1 EnvSetRestoreCloudCredentials"
    ],
    [
      "data.ACCESS_SECRET_KEY",
      /^[A-Za-z0-9+/]+=*$/,
      "operator, environment of barman-cloud, boto3",
      "1.27.1 EnvSetRestoreCloudCredentials"
    ]
  ]),
  ...under("KafkaNodePool spec", [
    [".replicas", /^1$/, "Strimzi", "CRD: integer"],
    [".roles[]", /^(?:controller|broker)$/, "Strimzi, process.roles", "CRD: enum"],
    [".storage.type", /^jbod$/, "Strimzi", "CRD: enum"]
  ]),
  ...under("KafkaNodePool spec.storage.volumes", volumes),
  ...under("KafkaNodePool spec.resources", quantities),
  ...under("kafkanodepools spec.storage.volumes", volumes),
  ...under("Kafka ", [
    ["spec.kafka.version", /^\d+\.\d+\.\d+$/, "Strimzi (its table of versions)", "KafkaVersion.Lookup"],
    ...kafkaConfig.map((_): Row => [
      `spec.kafka.config.${_}`,
      /^1$/,
      "Strimzi, server.properties",
      "KafkaConfiguration"
    ]),
    [`${listeners}.name`, /^[a-z0-9]{1,11}$/, "Strimzi, listeners of server.properties", "CRD: pattern"],
    [`${listeners}.port`, /^909[23]$/, "Strimzi", "ListenersValidator: 9092 and above, and none of its own"],
    [`${listeners}.tls`, /^(?:true|false)$/, "Strimzi", "CRD: boolean"],
    [`${listeners}.type`, /^internal$/, "Strimzi", "CRD: enum"],
    [`${selector}.key`, /^kubernetes\.io\/metadata\.name$/, "Strimzi, NetworkPolicy", "apimachinery, label selectors"],
    [`${selector}.operator`, /^In$/, "Strimzi, NetworkPolicy", "apimachinery, label selectors"],
    [`${selector}.values[]`, name, "Strimzi, NetworkPolicy", "apimachinery, label selectors"]
  ]),
  ...under("Service spec", [
    [".type", /^ClusterIP$/, "API server", "core/v1"],
    [".ports[].name", /^http$/, "API server, Gateway", "core/v1: IANA service name"],
    [".ports[].protocol", /^TCP$/, "API server, Gateway", "core/v1"],
    [".ports[].port", port, "API server, Gateway", "core/v1"],
    [".ports[].targetPort", port, "API server, Gateway", "core/v1: a name unless a number"]
  ]),
  ...under("EndpointSlice ", [
    ["addressType", /^IPv[46]$/, "API server, Gateway", "discovery/v1"],
    ["ports[].name", /^http$/, "API server, Gateway", "discovery/v1: that of the Service"],
    ["ports[].protocol", /^TCP$/, "API server, Gateway", "discovery/v1"],
    ["ports[].port", port, "API server, Gateway", "discovery/v1"],
    ["endpoints[].addresses[]", /^[0-9a-f.:]+$/, "API server, Gateway", "discovery/v1: of the addressType"],
    ["endpoints[].conditions.ready", /^true$/, "API server, Gateway", "discovery/v1"]
  ]),
  ...under("HTTPRoute spec", [
    [".parentRefs[].group", /^gateway\.networking\.k8s\.io$/, reference, "ParentReference"],
    [".parentRefs[].kind", /^Gateway$/, reference, "ParentReference"],
    [".parentRefs[].namespace", name, reference, "ParentReference"],
    [".parentRefs[].name", name, reference, "ParentReference"],
    [".hostnames[]", hostname, `${reference}, proxy (and SNI)`, "Hostname: a precise domain name, no address"],
    [".rules[].matches[].path.type", /^PathPrefix$/, reference, "PathMatchType"],
    [".rules[].matches[].path.value", /^\/$/, `${reference}, proxy`, "HTTPPathMatch"],
    [".rules[].backendRefs[].group", /^$/, reference, "BackendObjectReference: empty for core"],
    [".rules[].backendRefs[].kind", /^Service$/, reference, "BackendObjectReference"],
    [".rules[].backendRefs[].namespace", name, reference, "BackendObjectReference"],
    [".rules[].backendRefs[].name", name, reference, "BackendObjectReference"],
    [".rules[].backendRefs[].port", port, reference, "PortNumber"],
    [".rules[].backendRefs[].weight", /^1$/, reference, "BackendRef"]
  ]),
  ...under("ReferenceGrant spec", [
    [".from[].group", /^gateway\.networking\.k8s\.io$/, reference, "ReferenceGrantFrom"],
    [".from[].kind", /^HTTPRoute$/, reference, "ReferenceGrantFrom"],
    [".from[].namespace", name, reference, "ReferenceGrantFrom"],
    [".to[].group", /^$/, reference, "ReferenceGrantTo: empty for core"],
    [".to[].kind", /^Service$/, reference, "ReferenceGrantTo"],
    [".to[].name", name, reference, "ReferenceGrantTo"]
  ]),
  ...under("zone ", [
    ["name", hostnameOf("."), "Designate, name servers", "Designate DomainField"],
    [
      "email",
      /^[A-Za-z0-9_-]+@[a-z0-9.-]+$/,
      "Designate (the SOA's RNAME), name servers",
      "Designate EmailField: as a domain name"
    ],
    ["ttl", /^\d{1,10}$/, "Designate, name servers", "RFC 2181, section 8: 31 bits"],
    ["description", /^[^]*$/, "Designate", "text of 160 characters"]
  ]),
  ...under("recordset ", [
    ["name", hostnameOf("."), "Designate, name servers", "Designate HostField"],
    ["type", /^(?:A|AAAA|CNAME|TXT|MX)$/, "Designate, name servers", "RFC 1035"],
    ["ttl", /^(?:null|\d{1,10})$/, "Designate, name servers", "RFC 2181, section 8: 31 bits"],
    // Of data() and its tests: every text in quotes, and printable ASCII alone.
    ["records[]", /^[\x20-\x7e]+$/, "Designate (dnspython), name servers", "RFC 1035, section 5.1"],
    ["description", /^[^]*$/, "Designate", "text of 160 characters"]
  ]),
  ...under("quotas ", [["zones", quota, "Designate", "integer"]]),
  ...under("admin ", [
    ["uid", /^tenant\$[0-9a-f]{32}$/, admin, "rgw_user: tenant$id"],
    ["display-name", /^[\w:-]+$/, admin, "text"],
    ["max-buckets", quota, admin, "RESTArgs::get_int32"],
    ["generate-key", /^(?:true|false)$/, admin, "RESTArgs::get_bool"],
    ["format", /^json$/, admin, "RESTArgs"],
    ["quota", /^$/, admin, "sub-resource"],
    ["quota-type", /^user$/, admin, "RGWOp_Quota_Set"],
    ["max-size", quota, admin, "RESTArgs::get_int64: bytes"],
    ["max-objects", quota, admin, "RESTArgs::get_int64"],
    ["enabled", /^true$/, admin, "RESTArgs::get_bool"],
    ["key", /^$/, admin, "sub-resource"],
    ["key-type", /^s3$/, admin, "RGWOp_Key_Create"],
    [
      "access-key",
      /^[\w$-]+$/,
      `${admin}, signatures of S3 clients`,
      "Signature Version 4: no slash in a credential's key"
    ]
  ]),
  ...under("S3 ", [
    ["Status", /^(?:Enabled|Suspended)$/, "object gateway (XML)", "VersioningConfiguration"],
    ["AllowedMethod", /^[A-Z]+$/, "object gateway (XML)", "CORSRule"],
    ["AllowedOrigin", /^[^<&]+$/, "object gateway (XML), browsers", "CORSRule: at most one star"],
    ["AllowedHeader", /^[^<&]+$/, "object gateway (XML), browsers", "CORSRule: at most one star"],
    ["ExposeHeader", /^[^<&]+$/, "object gateway (XML), browsers", "CORSRule"],
    ["MaxAgeSeconds", /^\d+$/, "object gateway (XML), browsers", "CORSRule: integer"]
  ])
]

function hostnameOf(end: string): RegExp {
  const part = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
  return new RegExp(`^(?=.{1,254}$)(?:\\*\\.)?${part}(?:\\.${part})*\\${end}$`)
}

/** Of every object: a name or a namespace, labels and annotations. The values of labels have the form of Kubernetes. */
export const metadata: ReadonlyArray<Chain> = under("metadata", [
  [".name", name, "API server, names that operators make of it", "RFC 1123"],
  [".namespace", name, "API server", "RFC 1123"],
  [".resourceVersion", /^\d+$/, "API server", "opaque, as it was read"],
  [
    ".labels",
    /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/,
    "API server, selectors",
    "apimachinery, IsValidLabelValue"
  ],
  [".annotations", /^[\x20-\x7e]*$/, "the gateway itself", "apimachinery, ValidateAnnotations"]
])

/** Kinds whose every value the API server itself reads, and refuses at once: no program comes behind it. */
export const readByApiServer: ReadonlyArray<string> = [
  "Namespace",
  "ResourceQuota",
  "LimitRange",
  "NetworkPolicy",
  "ServiceAccount",
  "RoleBinding",
  "SubjectAccessReview"
]
