import { randomInt } from "node:crypto"
import { Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../../../Json.ts"
import type { Step } from "../../../Wire.ts"
import { rootCertificate } from "../../rootCertificate.ts"
import type { Thing } from "../../state.ts"
import { encoded, ensure, ownedMeta, type Pass } from "../writes.ts"
import { bootstrapOf, clusterLabel } from "./names.ts"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const newPassword = (): string => Array.from({ length: 64 }, () => letters[randomInt(letters.length)]).join("")

/** The metadata of the objects that belong to a cluster. */
export const belonging = (cluster: Thing, name: string, labels: Readonly<Record<string, string>> = {}): JsonObject =>
  ownedMeta(cluster, name, {
    "app.kubernetes.io/managed-by": "cloudnative-pg",
    [clusterLabel]: cluster.metadata.name,
    ...labels
  })

const port = "5432"

/** The application's connection data, in all formats that CloudNativePG provides. */
const credentials = (cluster: Thing, dbname: string, username: string, password: string) => {
  const { name, namespace = "" } = cluster.metadata
  const host = `${name}-rw`
  const uri = (at: string) => `postgresql://${username}:${password}@${at}:${port}/${dbname}`
  const jdbc = (at: string) => `jdbc:postgresql://${at}:${port}/${dbname}?password=${password}&user=${username}`
  const [near, far] = [`${host}.${namespace}`, `${host}.${namespace}.svc.cluster.local`]
  return {
    username,
    user: username,
    password,
    dbname,
    host,
    port,
    pgpass: `${host}:${port}:${dbname}:${username}:${password}\n`,
    uri: uri(near),
    "jdbc-uri": jdbc(near),
    "fqdn-uri": uri(far),
    "fqdn-jdbc-uri": jdbc(far)
  }
}

const privateKey = "-----BEGIN EC PRIVATE KEY-----\nc2ltdWxhdGVk\n-----END EC PRIVATE KEY-----\n"

const certificates: ReadonlyArray<readonly [suffix: string, type: string, names: readonly [string, string]]> = [
  ["ca", "Opaque", ["ca.crt", "ca.key"]],
  ["server", "kubernetes.io/tls", ["tls.crt", "tls.key"]],
  ["replication", "kubernetes.io/tls", ["tls.crt", "tls.key"]]
]

const secrets = (cluster: Thing): ReadonlyArray<JsonObject> => {
  const { name } = cluster.metadata
  const reload = { "cnpg.io/reload": "true" }
  const { how } = bootstrapOf(cluster)
  const [database, owner] = [stringAt(how, "database") ?? "", stringAt(how, "owner") ?? ""]
  const given = stringAt(objectAt(how, "secret"), "name") ?? ""
  return [
    ...certificates.map(([suffix, type, [certificate, key]]) => ({
      metadata: belonging(cluster, `${name}-${suffix}`, reload),
      type,
      data: encoded({ [certificate]: rootCertificate, [key]: privateKey })
    })),
    // A generated password unless the user provides a Secret; a missing Secret is created again.
    ...(given !== "" || database === ""
      ? []
      : [
          {
            metadata: belonging(cluster, `${name}-app`, { ...reload, "cnpg.io/userType": "app" }),
            type: "kubernetes.io/basic-auth",
            data: encoded(credentials(cluster, database, owner, newPassword()))
          }
        ])
  ]
}

const services = (cluster: Thing): ReadonlyArray<JsonObject> => {
  const { name } = cluster.metadata
  const selecting: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ["r", { "cnpg.io/podRole": "instance" }],
    ["ro", { "cnpg.io/instanceRole": "replica" }],
    ["rw", { "cnpg.io/instanceRole": "primary" }]
  ]
  return selecting.map(([suffix, selector]) => ({
    metadata: belonging(cluster, `${name}-${suffix}`),
    spec: {
      type: "ClusterIP",
      ports: [{ name: "postgres", port: 5432, targetPort: 5432, protocol: "TCP" }],
      selector: { [clusterLabel]: name, ...selector }
    }
  }))
}

/** Creates the missing dependents of a cluster, other than its instances. */
export const createDependents = (pass: Pass, cluster: Thing): Step<void> =>
  Result.gen(function* () {
    for (const secret of secrets(cluster)) {
      yield* ensure(pass, "secrets", { apiVersion: "v1", kind: "Secret", ...secret })
    }
    for (const service of services(cluster)) {
      yield* ensure(pass, "services", { apiVersion: "v1", kind: "Service", ...service })
    }
    const account = { metadata: belonging(cluster, cluster.metadata.name) }
    yield* ensure(pass, "serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", ...account })
  })
