import type { JsonObject } from "../../Json.ts"

const open = (properties: JsonObject, required: ReadonlyArray<string> = []): JsonObject => ({
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
  properties,
  required
})

const text = { type: "string" }
const flag = { type: "boolean" }
const named = open({ name: text }, ["name"])

const synchronous = open(
  {
    method: { type: "string", enum: ["any", "first"] },
    number: { type: "integer", minimum: 1 },
    dataDurability: { type: "string", enum: ["required", "preferred"] }
  },
  ["method", "number"]
)

/** CloudNativePG's backup methods. */
const method = { type: "string", enum: ["barmanObjectStore", "volumeSnapshot", "plugin"], default: "barmanObjectStore" }

/** Host names of the Gateway API; a wildcard may be the first label. */
const hostname = {
  type: "string",
  minLength: 1,
  maxLength: 253,
  pattern: "^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
}

const port = { type: "integer", minimum: 1, maximum: 65535 }

const parentRef = open(
  {
    group: { type: "string", default: "gateway.networking.k8s.io" },
    kind: { type: "string", default: "Gateway" },
    namespace: text,
    name: text,
    sectionName: text,
    port
  },
  ["name"]
)

const backendRef = open(
  {
    group: { type: "string", default: "" },
    kind: { type: "string", default: "Service" },
    namespace: text,
    name: text,
    port,
    weight: { type: "integer", minimum: 0, maximum: 1_000_000, default: 1 }
  },
  ["name"]
)

const anything = [{ path: { type: "PathPrefix", value: "/" } }]

const rule = open({
  backendRefs: { type: "array", items: backendRef },
  matches: { type: "array", items: open({}), default: anything }
})

const volume = open({
  id: { type: "integer", minimum: 0 },
  type: { type: "string", enum: ["ephemeral", "persistent-claim"] },
  size: text,
  class: text,
  deleteClaim: flag
})

/** The schemas of `spec` in the custom kinds' definitions, with the fields that matter to a client. */
export const schemas = {
  cluster: open({
    instances: { type: "integer", minimum: 1, default: 1 },
    imageName: text,
    storage: open({ size: text, storageClass: text }),
    postgresql: open({ synchronous: { ...synchronous, nullable: true } })
  }),
  backup: open({ cluster: named, method }, ["cluster"]),
  scheduledBackup: open(
    {
      cluster: named,
      schedule: text,
      method,
      immediate: flag,
      suspend: flag,
      backupOwnerReference: { type: "string", enum: ["none", "self", "cluster"], default: "none" }
    },
    ["cluster", "schedule"]
  ),
  kafka: open({ kafka: open({ version: text, metadataVersion: text }) }, ["kafka"]),
  nodePool: open(
    {
      replicas: { type: "integer", minimum: 0 },
      roles: { type: "array", items: { type: "string", enum: ["controller", "broker"] } },
      storage: open(
        {
          type: { type: "string", enum: ["ephemeral", "persistent-claim", "jbod"] },
          size: text,
          volumes: { type: "array", items: volume }
        },
        ["type"]
      )
    },
    ["replicas", "roles", "storage"]
  ),
  topic: {
    type: "object",
    properties: {
      topicName: text,
      partitions: { type: "integer", minimum: 1 },
      replicas: { type: "integer", minimum: 1, maximum: 32_767 },
      config: open({})
    }
  },
  httpRoute: open({
    hostnames: { type: "array", items: hostname },
    parentRefs: { type: "array", items: parentRef },
    rules: { type: "array", items: rule, default: [{ matches: anything }] }
  })
} as const satisfies Readonly<Record<string, JsonObject>>
