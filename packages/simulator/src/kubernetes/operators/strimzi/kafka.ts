import { randomBytes } from "node:crypto"
import { Result } from "effect"
import { booleanAt, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from "../../../Json.ts"
import type { Answer, Step } from "../../../Wire.ts"
import { toSecondsUtc } from "../../../times.ts"
import { writeLog } from "../../logs.ts"
import { rootCertificate } from "../../rootCertificate.ts"
import type { Thing } from "../../state.ts"
import { canonicalJson } from "../../canonicalJson.ts"
import { find } from "../../store.ts"
import { record } from "../events.ts"
import { timing } from "../timing.ts"
import {
  change,
  encoded,
  ensure,
  requeue,
  ownedMeta,
  removeThing,
  type Pass,
  messageOf,
  writeStatus
} from "../writes.ts"
import {
  clusterLabel,
  defaultVersion,
  kafkas,
  labelsOf,
  metadataVersion,
  nodePools,
  operatorVersion,
  versions
} from "./names.ts"
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

/** Why a cluster is not ready: the exception that ended the pass. */
interface Problem {
  readonly reason: string
  readonly message: string
}

const kafkaOf = (kafka: Thing): JsonObject => objectAt(kafka, "spec", "kafka")

const versionOf = (kafka: Thing): string => stringAt(kafkaOf(kafka), "version") ?? defaultVersion

/** The operator's validation of the specification, which no webhook has validated. */
const objection = (kafka: Thing, pools: ReadonlyArray<Thing>): Problem | undefined => {
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

const refusedBy = (answer: Answer): Problem => ({
  reason: "KubernetesClientException",
  message: `Failure executing: POST. Message: ${messageOf(answer)}. Received status: Status(code=${answer.status}).`
})

const belonging = (kafka: Thing, name: string): JsonObject => ownedMeta(kafka, name, labelsOf(kafka.metadata.name))

interface Listener {
  readonly name: string
  readonly port: number
  readonly tls: boolean
  /** The network policy peers of a listener; all when none are given. */
  readonly peers: ReadonlyArray<JsonObject>
}

const listenersOf = (kafka: Thing): ReadonlyArray<Listener> =>
  objectsAt(kafkaOf(kafka), "listeners").map((_) => ({
    name: stringAt(_, "name") ?? "",
    port: numberAt(_, "port") ?? 0,
    tls: booleanAt(_, "tls") ?? false,
    peers: objectsAt(_, "networkPolicyPeers")
  }))

/** The peers of an internal port: the operator in any namespace, and the given pods of the cluster. */
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
 * The operator's network policy for the brokers: internal ports for itself and the cluster's pods, and each
 * listener for its peers. A rule without peers allows every pod of every namespace.
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

/** The certificate authorities, the network policy and the bootstrap services. */
const createDependents = (pass: Pass, kafka: Thing): Step<void> =>
  Result.gen(function* () {
    const { name } = kafka.metadata
    for (const authority of ["cluster-ca", "clients-ca"]) {
      for (const [suffix, key] of [
        ["", "ca.key"],
        ["-cert", "ca.crt"]
      ] as const) {
        yield* ensure(pass, "secrets", {
          apiVersion: "v1",
          kind: "Secret",
          metadata: belonging(kafka, `${name}-${authority}${suffix}`),
          type: "Opaque",
          data: encoded({ [key]: rootCertificate })
        })
      }
    }
    const policy = policyOf(kafka)
    const there = yield* ensure(pass, policies, policy)
    if (canonicalJson(there["spec"]) !== canonicalJson(policy["spec"])) {
      yield* change(pass, policies, there, { ...there, spec: policy["spec"] })
    }
    const ports = listenersOf(kafka).map((_) => ({ name: `tcp-${_.name}`, port: _.port, protocol: "TCP" }))
    for (const suffix of ["kafka-bootstrap", "kafka-brokers"]) {
      yield* ensure(pass, "services", {
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
 * Reconciles a `Kafka`: creates what is missing, waits for the brokers, and reports the result. A failure is
 * retried two minutes later.
 */
export const reconcileKafka = (pass: Pass, kafka: Thing): void => {
  if (kafka.metadata.deletionTimestamp !== undefined) return
  const fault = pass.state.ailments[kafka.metadata.uid]
  if (fault !== undefined) return publishStatus(pass, kafka, [], { reason: fault.phase, message: fault.reason })
  const pools = poolsOf(pass, kafka)
  const wrong = objection(kafka, pools)
  if (wrong !== undefined) return publishStatus(pass, kafka, pools, wrong)
  const clusterId = stringAt(objectAt(kafka, "status"), "clusterId") ?? newClusterId()
  const nodes = assigned(pools)
  const made = Result.gen(function* () {
    yield* createDependents(pass, kafka)
    for (const [pool, ids] of nodes) {
      removeNodes(pass, pool, ids)
      for (const node of ids) yield* makeNode(pass, pool, kafka, node)
    }
  })
  const current = [...nodes].map(([pool, ids]) => publishPoolStatus(pass, pool, ids, clusterId))
  const problem = Result.isFailure(made) ? refusedBy(made.failure) : brokers(pass, kafka, current, clusterId)
  publishStatus(pass, kafka, current, problem, clusterId)
}

const newClusterId = (): string => randomBytes(16).toString("base64url")

/** The problem that keeps the brokers' cluster from being ready, or undefined. */
const brokers = (
  pass: Pass,
  kafka: Thing,
  pools: ReadonlyArray<Thing>,
  clusterId: string
): Problem | "waiting" | undefined => {
  let waiting = false
  for (const pool of pools) {
    for (const node of nodeIdsOf(pool)) {
      const standing = standingOf(pass, pool, node, clusterId, timing.broker)
      if (standing === "foreign") return crash(pass, kafka, podName(pool, node))
      if (standing === "grown") restart(pass, kafka, podName(pool, node))
      waiting ||= standing === "starting"
    }
  }
  if (waiting) requeue(pass, kafkas, kafka, timing.react)
  return waiting ? "waiting" : undefined
}

/** Restarts a broker after its volume has grown. */
const restart = (pass: Pass, kafka: Thing, name: string): void => {
  const pod = find(pass.state, "pods", kafka.metadata.namespace, name)
  if (pod === undefined) return
  record(pass, pod, "Normal", "FileSystemResizeNeeded", "File system needs to be resized")
  removeThing(pass, "pods", pod)
}

/** The volume has another cluster's id: the broker crashes after every start. */
const crash = (pass: Pass, kafka: Thing, name: string): Problem | "waiting" => {
  const { namespace = "" } = kafka.metadata
  const pod = find(pass.state, "pods", namespace, name)
  if (pod === undefined) return "waiting"
  const source = { namespace, pod: name, container: "kafka" }
  const message = `Error: Invalid cluster.id in: /var/lib/kafka/data-0/kafka-log0/meta.properties.`
  if (pass.state.logs[`${namespace}/${name}/kafka`] === undefined) writeLog(pass.state, source, message, pass.now)
  const backOff = `Back-off restarting failed container kafka in pod ${name}_${namespace}(${pod.metadata.uid})`
  record(pass, pod, "Warning", "BackOff", backOff, "kubelet")
  const [status = {}] = objectsAt(pod, "status", "containerStatuses")
  const crashed = {
    ...status,
    ready: false,
    started: false,
    restartCount: (numberAt(status, "restartCount") ?? 0) + 1,
    state: { ...objectAt(status, "state"), waiting: { reason: "CrashLoopBackOff", message: backOff } }
  }
  const conditions = objectsAt(pod, "status", "conditions").map((_) =>
    _["type"] === "Ready" || _["type"] === "ContainersReady" ? { ..._, status: "False" } : _
  )
  void writeStatus(pass, "pods", pod, { ...objectAt(pod, "status"), conditions, containerStatuses: [crashed] })
  requeue(pass, kafkas, kafka, timing.retry)
  const timeout = timing.brokerTimeout
  if (pass.now < startedAt(pod) + timeout) return "waiting"
  return {
    reason: "TimeoutException",
    message: `Exceeded timeout of ${timeout}ms while waiting for Pods resource ${name} in namespace ${namespace} to be ready`
  }
}

const warningOf = (pass: Pass, pool: Thing): ReadonlyArray<JsonObject> => {
  if (!shrinks(pass, pool)) return []
  const { name, namespace } = pool.metadata
  const known = objectsAt(pool, "status", "conditions").find((_) => _["reason"] === "KafkaStorage")
  return [
    {
      type: "Warning",
      status: "True",
      reason: "KafkaStorage",
      message:
        `The desired Kafka storage configuration in the KafkaNodePool resource ${namespace}/${name} contains changes ` +
        "which are not allowed. As a result, all storage changes will be ignored. Use DEBUG level logging for more " +
        "information about the detected changes.",
      lastTransitionTime: known?.["lastTransitionTime"] ?? toSecondsUtc(pass.now)
    }
  ]
}

const publishPoolStatus = (pass: Pass, pool: Thing, ids: ReadonlyArray<number>, clusterId: string): Thing => {
  const warnings = warningOf(pass, pool)
  return writeStatus(pass, nodePools, pool, {
    observedGeneration: pool.metadata.generation ?? 1,
    nodeIds: ids,
    replicas: ids.length,
    roles: rolesOf(pool),
    clusterId,
    labelSelector: `${clusterLabel}=${pool.metadata.labels?.[clusterLabel]},strimzi.io/pool-name=${pool.metadata.name}`,
    ...(warnings.length === 0 ? {} : { conditions: warnings })
  })
}

/** The status has exactly one condition, of type `Ready` or `NotReady`. */
const standing = (kafka: Thing, problem: Problem | "waiting" | undefined): JsonObject | undefined => {
  if (problem === undefined) return { type: "Ready", status: "True" }
  if (problem !== "waiting") return { type: "NotReady", status: "True", ...problem }
  // While the operator waits, a ready cluster stays ready, and a new one is being created.
  const before = objectsAt(kafka, "status", "conditions").find((_) => _["type"] !== "Warning")
  if (before !== undefined && before["reason"] === undefined) return undefined
  return { type: "NotReady", status: "True", reason: "Creating", message: "Kafka cluster is being deployed" }
}

const publishStatus = (
  pass: Pass,
  kafka: Thing,
  pools: ReadonlyArray<Thing>,
  problem: Problem | "waiting" | undefined,
  clusterId?: string
): void => {
  const condition = standing(kafka, problem)
  if (condition === undefined) return
  const before = objectsAt(kafka, "status", "conditions").find((_) => _["type"] === condition["type"])
  const since = before?.["reason"] === condition["reason"] ? before?.["lastTransitionTime"] : undefined
  const ready = problem === undefined
  if (problem !== undefined && problem !== "waiting") requeue(pass, kafkas, kafka, timing.kafkaPeriod)
  const id = clusterId ?? stringAt(objectAt(kafka, "status"), "clusterId")
  void writeStatus(pass, kafkas, kafka, {
    conditions: [
      { ...condition, lastTransitionTime: since ?? toSecondsUtc(pass.now) },
      ...pools.flatMap((_) => warningOf(pass, _))
    ],
    observedGeneration: kafka.metadata.generation ?? 1,
    ...(id === undefined ? {} : { clusterId: id }),
    ...(ready ? served(kafka, pools) : lasting(kafka))
  })
}

/** Status fields that the operator carries over when it could not determine them again. */
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
