import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, DateTime, Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

const databases = "/v1/databases"

const asAcme = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { acme } = yield* Cast
  return jsonOf(yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[2], body }))
})

/** One that stays, and is never changed by what another row does to its own. */
const lasting = "matrix"

const fresh = (): string => `matrix-${nextOf("databases")}`

const small = (name: string) => ({ engine: "postgres", name, version: "17", size_gb: 1 })

/** What earlier calls made goes: the tenant has not much room. */
const room = Effect.gen(function* () {
  for (const { engine, name } of (yield* asAcme("GET", databases)).databases) {
    if (name !== lasting) yield* asAcme("DELETE", `${databases}/${engine}/${name}`)
  }
})

/** The operator takes its time, which the cloud need not. */
const working = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { kubernetes } = (yield* SimulatedCloud).world
  const now = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) - 3_600_000))
  const clusters = (kubernetes.objects["clusters.postgresql.cnpg.io"] ??= {})
  const secrets = (kubernetes.objects["secrets"] ??= {})
  const cluster = clusters[`db-${acme.projectId}/${lasting}`]
  if (cluster === undefined) return
  clusters[`db-${acme.projectId}/${lasting}`] = {
    ...cluster,
    status: {
      ...Object(cluster["status"]),
      currentPrimary: `${lasting}-1`,
      firstRecoverabilityPoint: now,
      lastSuccessfulBackup: now
    }
  }
  const name = `${lasting}-app`
  const text = {
    username: "app",
    password: "secret",
    dbname: "app",
    "fqdn-uri": "postgresql://app:secret@host:5432/app"
  }
  secrets[`db-${acme.projectId}/${name}`] ??= {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...cluster.metadata, name, uid: name },
    data: Object.fromEntries(Object.entries(text).map(([key, _]) => [key, Buffer.from(_).toString("base64")]))
  }
})

const there = (rest = "", body?: unknown) =>
  Effect.gen(function* () {
    yield* asAcme("POST", databases, { ...small(lasting), backup: { enabled: true } })
    yield* working
    return { path: `${databases}/postgres/${lasting}${rest}`, body }
  })

const another = Effect.gen(function* () {
  yield* room
  const name = fresh()
  yield* asAcme("POST", databases, small(name))
  return { path: `${databases}/postgres/${name}` }
})

const grown = Effect.gen(function* () {
  const { path } = yield* there()
  return { path, body: { size_gb: (yield* asAcme("GET", path)).size_gb + 1 } }
})

const elsewhere = {
  status: 404,
  body: (path: string) => {
    const [, , , , name] = path.split("/")
    return { detail: `Database '${name}' not found`, code: "database_not_found" }
  }
}

const kafka = (name: string) => ({ engine: "kafka", name, version: "4.3.1", size_gb: 1 })

/** Databases of more than one object. */
export const newKafka: Success = {
  status: 201,
  prepare: Effect.map(room, () => ({ path: databases, body: kafka(fresh()) })),
  after: room
}
export const backedUp: Success = {
  status: 201,
  prepare: Effect.map(room, () => ({ path: databases, body: { ...small(fresh()), backup: { enabled: true } } })),
  after: room
}
export const kafkaRemoval: Success = {
  status: 200,
  prepare: Effect.gen(function* () {
    yield* room
    const name = fresh()
    yield* asAcme("POST", databases, kafka(name))
    return { path: `${databases}/kafka/${name}` }
  })
}

/** The rows of the matrix for managed databases. */
export const databaseSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/databases": { status: 200, prepare: Effect.succeed({ path: databases }) },
  "POST /v1/databases": {
    status: 201,
    prepare: Effect.map(room, () => ({ path: databases, body: small(fresh()) })),
    after: room
  },
  "GET /v1/databases/:engine/:name": { status: 200, prepare: there(), elsewhere },
  "PATCH /v1/databases/:engine/:name": { status: 200, prepare: grown, elsewhere },
  "DELETE /v1/databases/:engine/:name": { status: 200, prepare: another, elsewhere },
  "GET /v1/databases/:engine/:name/credentials": { status: 200, prepare: there("/credentials"), elsewhere },
  "POST /v1/databases/:engine/:name/rotate-credentials": {
    status: 200,
    prepare: there("/rotate-credentials"),
    elsewhere
  },
  "POST /v1/databases/:engine/:name/restore": {
    status: 201,
    prepare: Effect.flatMap(room, () => Effect.suspend(() => there("/restore", { name: fresh() }))),
    after: room,
    elsewhere
  }
}
