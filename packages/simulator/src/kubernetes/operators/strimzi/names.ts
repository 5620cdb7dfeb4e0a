import type { Operator } from "../Operator.ts"

export const kafkas = "kafkas.kafka.strimzi.io"
export const nodePools = "kafkanodepools.kafka.strimzi.io"

export const clusterLabel = "strimzi.io/cluster"
export const poolLabel = "strimzi.io/pool-name"

export const strimzi: Operator = {
  component: "strimzi.io/cluster-operator",
  manager: "strimzi-cluster-operator",
  account: "system:serviceaccount:strimzi:strimzi-cluster-operator"
}

/** The labels of everything that belongs to a Kafka cluster. */
export const labelsOf = (cluster: string): Readonly<Record<string, string>> => ({
  [clusterLabel]: cluster,
  "strimzi.io/kind": "Kafka",
  "app.kubernetes.io/managed-by": "strimzi-cluster-operator"
})

/** The Kafka versions that the operator supports, and the default. */
export const versions = ["4.2.0", "4.2.1", "4.3.0", "4.3.1"] as const
export const defaultVersion = "4.3.1"

/** The metadata version of a Kafka version. */
export const metadataVersion = (version: string): string => `${version.split(".").slice(0, 2).join(".")}-IV0`

export const operatorVersion = "1.2.0"
