import { randomBytes } from "node:crypto"
import { Result } from "effect"
import { booleanAt, numberAt, objectAt, stringAt } from "../../../Json.ts"
import type { Answer } from "../../../Wire.ts"
import { writeLog } from "../../logs.ts"
import { containersIn } from "../../pods.ts"
import { rootCertificate } from "../../rootCertificate.ts"
import type { JsonObject, Thing } from "../../state.ts"
import { canonicalJson } from "../../validate.ts"
import type { Step } from "../../status.ts"
import { find, stamp } from "../../store.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import { change, encoded, ensure, lookAgain, ownedBy, removeThing, type Turn, wordsOf, writeStatus } from "../writes.ts"
import { clusterLabel, defaultVersion, kafkas, metadataVersion, nodePools, operatorVersion, versions } from "./names.ts"
import {
  assigned,
  makeNode,
  nodeIdsOf,
  podName,
  poolsOf,
  removeNodes,
  replicasOf,
  rolesOf,
  shrinks,
  standingOf,
  startedAt
} from "./pools.ts"

/** Why a cluster is not ready: the exception that ended the operator's look at it. */
interface Trouble {
  readonly reason: string
  readonly message: string
}

const kafkaOf = (kafka: Thing): JsonObject => objectAt(kafka, "spec", "kafka")

const versionOf = (kafka: Thing): string => stringAt(kafkaOf(kafka), "version") ?? defaultVersion

/** What the operator has against the specification. Nothing has looked at it before: there is no webhook. */
const objection = (kafka: Thing, pools: ReadonlyArray<Thing>): Trouble | undefined => {
  const { name } = kafka.metadata
  const version = versionOf(kafka)
  if (!versions.some((_) => _ === version)) {
    const message = `Unsupported Kafka.spec.kafka.version: ${version}. Supported versions are: [${versions.join(", ")}]`
    return { reason: "UnsupportedKafkaVersionException", message }
  }
  const invalid = (message: string) => ({ reason: "InvalidConfigurationException", message })
  if (pools.length === 0) return invalid(`No KafkaNodePools found for Kafka cluster ${name}`)
  const lacking = ["controller", "broker"].find(
    (role) => !pools.some((_) => rolesOf(_).includes(role) && replicasOf(_) > 0)
  )
  if (lacking === undefined) return undefined
  return invalid(
    `The Kafka cluster ${name} is invalid: [At least one KafkaNodePool with the ${lacking} role and at least one replica ` +
      "is required when KRaft mode is enabled]"
  )
}

const refusedBy = (answer: Answer): Trouble => ({
  reason: "KubernetesClientException",
  message: `Failure executing: POST. Message: ${wordsOf(answer)}. Received status: Status(code=${answer.status}).`
})

const belonging = (kafka: Thing, name: string): JsonObject => ({
  name,
  namespace: kafka.metadata.namespace,
  labels: {
    [clusterLabel]: kafka.metadata.name,
    "strimzi.io/kind": "Kafka",
    "app.kubernetes.io/managed-by": "strimzi-cluster-operator"
  },
  ownerReferences: [ownedBy(kafka)]
})

interface Listener {
  readonly name: string
  readonly port: number
  readonly tls: boolean
  /** Whom the network lets in; everybody when nothing is said. */
  readonly peers: ReadonlyArray<JsonObject>
}

const listenersOf = (kafka: Thing): ReadonlyArray<Listener> =>
  containersIn(kafkaOf(kafka), "listeners").map((_) => ({
    name: stringAt(_, "name") ?? "",
    port: numberAt(_, "port") ?? 0,
    tls: booleanAt(_, "tls") ?? false,
    peers: containersIn(_, "networkPolicyPeers")
  }))

/** Whom the operator lets in at a port, beside itself wherever it runs: those of the cluster's own pods. */
const control = (kafka: Thing, port: number, ...components: ReadonlyArray<string>): JsonObject => ({
  ports: [{ port, protocol: "TCP" }],
  from: [
    ...(port === 9090
      ? []
      : [{ podSelector: { matchLabels: { "strimzi.io/kind": "cluster-operator" } }, namespaceSelector: {} }]),
    ...components.map((_) => ({ podSelector: { matchLabels: { "strimzi.io/name": `${kafka.metadata.name}-${_}` } } }))
  ]
})

/**
 * The operator's policy for the brokers: its own ports for itself and the
 * cluster's parts, and each listener for its peers. A rule without peers is for
 * every pod of every namespace.
 */
const policyOf = (kafka: Thing): JsonObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: belonging(kafka, `${kafka.metadata.name}-network-policy-kafka`),
  spec: {
    podSelector: {
      matchLabels: {
        [clusterLabel]: kafka.metadata.name,
        "strimzi.io/kind": "Kafka",
        "strimzi.io/name": `${kafka.metadata.name}-kafka`
      }
    },
    policyTypes: ["Ingress"],
    ingress: [
      control(kafka, 9090, "kafka"),
      control(kafka, 9091, "kafka", "entity-operator", "kafka-exporter", "cruise-control"),
      control(kafka, 8443),
      ...listenersOf(kafka).map(({ peers, port }) => ({
        ports: [{ port, protocol: "TCP" }],
        ...(peers.length === 0 ? {} : { from: peers })
      }))
    ]
  }
})

const policies = "networkpolicies.networking.k8s.io"

/** The certificate authorities, the network policy and the services that clients find the cluster by. */
const furnish = (turn: Turn, kafka: Thing): Step<void> =>
  Result.gen(function* () {
    const { name } = kafka.metadata
    for (const authority of ["cluster-ca", "clients-ca"]) {
      for (const [suffix, key] of [
        ["", "ca.key"],
        ["-cert", "ca.crt"]
      ] as const) {
        yield* ensure(turn, "secrets", {
          apiVersion: "v1",
          kind: "Secret",
          metadata: belonging(kafka, `${name}-${authority}${suffix}`),
          type: "Opaque",
          data: encoded({ [key]: rootCertificate })
        })
      }
    }
    const policy = policyOf(kafka)
    const there = yield* ensure(turn, policies, policy)
    if (canonicalJson(there["spec"]) !== canonicalJson(policy["spec"])) {
      yield* change(turn, policies, there, { ...there, spec: policy["spec"] })
    }
    const ports = listenersOf(kafka).map((_) => ({ name: `tcp-${_.name}`, port: _.port, protocol: "TCP" }))
    for (const suffix of ["kafka-bootstrap", "kafka-brokers"]) {
      yield* ensure(turn, "services", {
        apiVersion: "v1",
        kind: "Service",
        metadata: belonging(kafka, `${name}-${suffix}`),
        spec: {
          ports: [{ name: "tcp-replication", port: 9091, protocol: "TCP" }, ...ports],
          selector: { [clusterLabel]: name }
        }
      })
    }
  })

/**
 * One look of the operator at a `Kafka`: it does what it can, waits for the
 * brokers, and says what became of it. What went wrong is tried again two minutes later.
 */
export const reconcileKafka = (turn: Turn, kafka: Thing): void => {
  if (kafka.metadata.deletionTimestamp !== undefined) return
  const ailment = turn.state.ailments[kafka.metadata.uid]
  if (ailment !== undefined) return say(turn, kafka, [], { reason: ailment.phase, message: ailment.reason })
  const pools = poolsOf(turn, kafka)
  const wrong = objection(kafka, pools)
  if (wrong !== undefined) return say(turn, kafka, pools, wrong)
  const clusterId = stringAt(objectAt(kafka, "status"), "clusterId") ?? newClusterId()
  const nodes = assigned(pools)
  const made = Result.gen(function* () {
    yield* furnish(turn, kafka)
    for (const [pool, ids] of nodes) {
      removeNodes(turn, pool, ids)
      for (const node of ids) yield* makeNode(turn, pool, kafka, node)
    }
  })
  const current = [...nodes].map(([pool, ids]) => sayPool(turn, pool, ids, clusterId))
  const trouble = Result.isFailure(made) ? refusedBy(made.failure) : brokers(turn, kafka, current, clusterId)
  say(turn, kafka, current, trouble, clusterId)
}

const newClusterId = (): string => randomBytes(16).toString("base64url")

/** What is between the brokers and a cluster that is ready. */
const brokers = (
  turn: Turn,
  kafka: Thing,
  pools: ReadonlyArray<Thing>,
  clusterId: string
): Trouble | "waiting" | undefined => {
  let waiting = false
  for (const pool of pools) {
    for (const node of nodeIdsOf(pool)) {
      const standing = standingOf(turn, pool, node, clusterId, timing.broker)
      if (standing === "foreign") return crash(turn, kafka, podName(pool, node))
      if (standing === "grown") restart(turn, kafka, podName(pool, node))
      waiting ||= standing === "starting"
    }
  }
  if (waiting) lookAgain(turn, kafkas, kafka, timing.react)
  return waiting ? "waiting" : undefined
}

/** After its volume has grown, a broker starts anew. */
const restart = (turn: Turn, kafka: Thing, name: string): void => {
  const pod = find(turn.state, "pods", kafka.metadata.namespace, name)
  if (pod === undefined) return
  record(turn, pod, "Normal", "FileSystemResizeNeeded", "File system needs to be resized")
  removeThing(turn, "pods", pod)
}

/** The volume knows another cluster: the broker ends as soon as it has started, again and again. */
const crash = (turn: Turn, kafka: Thing, name: string): Trouble | "waiting" => {
  const { namespace = "" } = kafka.metadata
  const pod = find(turn.state, "pods", namespace, name)
  if (pod === undefined) return "waiting"
  const source = { namespace, pod: name, container: "kafka" }
  const words = `Error: Invalid cluster.id in: /var/lib/kafka/data-0/kafka-log0/meta.properties.`
  if (turn.state.logs[`${namespace}/${name}/kafka`] === undefined) writeLog(turn.state, source, words, turn.now)
  const backOff = `Back-off restarting failed container kafka in pod ${name}_${namespace}(${pod.metadata.uid})`
  record(turn, pod, "Warning", "BackOff", backOff, "kubelet")
  const [status = {}] = containersIn(objectAt(pod, "status"), "containerStatuses")
  const crashed = {
    ...status,
    ready: false,
    started: false,
    restartCount: (numberAt(status, "restartCount") ?? 0) + 1,
    state: { ...objectAt(status, "state"), waiting: { reason: "CrashLoopBackOff", message: backOff } }
  }
  const conditions = containersIn(objectAt(pod, "status"), "conditions").map((_) =>
    _["type"] === "Ready" || _["type"] === "ContainersReady" ? { ..._, status: "False" } : _
  )
  void writeStatus(turn, "pods", pod, { ...objectAt(pod, "status"), conditions, containerStatuses: [crashed] })
  lookAgain(turn, kafkas, kafka, timing.retry)
  const patience = timing.brokerPatience
  if (turn.now < startedAt(pod) + patience) return "waiting"
  return {
    reason: "TimeoutException",
    message: `Exceeded timeout of ${patience}ms while waiting for Pods resource ${name} in namespace ${namespace} to be ready`
  }
}

const warningOf = (turn: Turn, pool: Thing): ReadonlyArray<JsonObject> => {
  if (!shrinks(turn, pool)) return []
  const { name, namespace } = pool.metadata
  const known = containersIn(objectAt(pool, "status"), "conditions").find((_) => _["reason"] === "KafkaStorage")
  return [
    {
      type: "Warning",
      status: "True",
      reason: "KafkaStorage",
      message:
        `The desired Kafka storage configuration in the KafkaNodePool resource ${namespace}/${name} contains changes ` +
        "which are not allowed. As a result, all storage changes will be ignored. Use DEBUG level logging for more " +
        "information about the detected changes.",
      lastTransitionTime: known?.["lastTransitionTime"] ?? stamp(turn.now)
    }
  ]
}

const sayPool = (turn: Turn, pool: Thing, ids: ReadonlyArray<number>, clusterId: string): Thing => {
  const warnings = warningOf(turn, pool)
  return writeStatus(turn, nodePools, pool, {
    observedGeneration: pool.metadata.generation ?? 1,
    nodeIds: ids,
    replicas: ids.length,
    roles: rolesOf(pool),
    clusterId,
    labelSelector: `${clusterLabel}=${pool.metadata.labels?.[clusterLabel]},strimzi.io/pool-name=${pool.metadata.name}`,
    ...(warnings.length === 0 ? {} : { conditions: warnings })
  })
}

/** Exactly one condition says how it stands, and its type says which: `Ready` or `NotReady`. */
const standing = (kafka: Thing, trouble: Trouble | "waiting" | undefined): JsonObject | undefined => {
  if (trouble === undefined) return { type: "Ready", status: "True" }
  if (trouble !== "waiting") return { type: "NotReady", status: "True", ...trouble }
  // What was ready stays so while the operator waits; what is new is being made.
  const before = containersIn(objectAt(kafka, "status"), "conditions").find((_) => _["type"] !== "Warning")
  if (before !== undefined && before["reason"] === undefined) return undefined
  return { type: "NotReady", status: "True", reason: "Creating", message: "Kafka cluster is being deployed" }
}

const say = (
  turn: Turn,
  kafka: Thing,
  pools: ReadonlyArray<Thing>,
  trouble: Trouble | "waiting" | undefined,
  clusterId?: string
): void => {
  const condition = standing(kafka, trouble)
  if (condition === undefined) return
  const before = containersIn(objectAt(kafka, "status"), "conditions").find((_) => _["type"] === condition["type"])
  const since = before?.["reason"] === condition["reason"] ? before?.["lastTransitionTime"] : undefined
  const ready = trouble === undefined
  if (trouble !== undefined && trouble !== "waiting") lookAgain(turn, kafkas, kafka, timing.kafkaPeriod)
  const id = clusterId ?? stringAt(objectAt(kafka, "status"), "clusterId")
  void writeStatus(turn, kafkas, kafka, {
    conditions: [
      { ...condition, lastTransitionTime: since ?? stamp(turn.now) },
      ...pools.flatMap((_) => warningOf(turn, _))
    ],
    observedGeneration: kafka.metadata.generation ?? 1,
    ...(id === undefined ? {} : { clusterId: id }),
    ...(ready ? served(kafka, pools) : lasting(kafka))
  })
}

/** What the operator copies from one status to the next when it could not find it out anew. */
const lasting = (kafka: Thing): JsonObject => {
  const status = objectAt(kafka, "status")
  const kept = ["kafkaVersion", "kafkaMetadataVersion", "kafkaMetadataState", "operatorLastSuccessfulVersion"]
  return Object.fromEntries(kept.flatMap((_) => (status[_] === undefined ? [] : [[_, status[_]]])))
}

const served = (kafka: Thing, pools: ReadonlyArray<Thing>): JsonObject => {
  const { name, namespace } = kafka.metadata
  const host = `${name}-kafka-bootstrap.${namespace}.svc`
  return {
    listeners: listenersOf(kafka).map((_) => ({
      name: _.name,
      addresses: [{ host, port: _.port }],
      bootstrapServers: `${host}:${_.port}`,
      ...(_.tls ? { certificates: [rootCertificate] } : {})
    })),
    kafkaNodePools: pools.map((_) => ({ name: _.metadata.name })),
    kafkaVersion: versionOf(kafka),
    kafkaMetadataVersion: stringAt(kafkaOf(kafka), "metadataVersion") ?? metadataVersion(versionOf(kafka)),
    kafkaMetadataState: "KRaft",
    operatorLastSuccessfulVersion: operatorVersion
  }
}
