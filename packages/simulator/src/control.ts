import { Effect, Result, Schema } from "effect"
import { furthestAheadMillis } from "./cloudClock.ts"
import { publish } from "./dns/state.ts"
import { rotateSigningKey, signingKeys } from "./kubernetes/issuer.ts"
import { writeLog } from "./kubernetes/logs.ts"
import { FaultRule, Records, services } from "./schemas.ts"
import { SimulatedCloud } from "./SimulatedCloud.ts"
import { worldOf } from "./Snapshot.ts"
import { empty, json, mounts } from "./Wire.ts"

export const nothingAt = (method: string, path: string) =>
  json(404, { message: `Nothing answers ${method} ${path}. Systems: /${Object.keys(mounts).join(", /")}; /cloud.` })

/** The control API of the whole cloud, below `/cloud`. */
export const control = Effect.fnUntraced(function* (method: string, path: string, body: Uint8Array) {
  const cloud = yield* SimulatedCloud
  const [, fault] = /^\/cloud\/faults\/([^/]+)$/.exec(path) ?? []
  if (fault !== undefined && method === "DELETE") {
    return (yield* cloud.removeFault(fault)) ? empty(204) : json(404, { message: `There is no fault '${fault}'` })
  }
  switch (`${method === "HEAD" ? "GET" : method} ${path}`) {
    case "GET /cloud/state":
      return json(200, yield* cloud.state)
    case "DELETE /cloud/state":
      yield* cloud.reset
      return empty(204)
    case "GET /cloud/clock":
      return yield* shownClock
    case "POST /cloud/clock":
      return yield* moveClock(body)
    case "GET /cloud/snapshot":
      return json(200, cloud.world)
    case "PUT /cloud/snapshot":
      return yield* loadSnapshot(body)
    case "GET /cloud/calls":
      return json(200, yield* cloud.calls)
    case "DELETE /cloud/calls":
      yield* cloud.clearCalls
      return empty(204)
    case "GET /cloud/faults":
      return json(200, yield* cloud.faults)
    case "POST /cloud/faults":
      return yield* addFault(body)
    case "PUT /cloud/dns":
      return yield* publishRecords(body)
    case "POST /cloud/kubernetes/logs":
      return yield* addLog(body)
    case "POST /cloud/kubernetes/issuer":
      return yield* changeIssuer(body)
    case "DELETE /cloud/faults":
      yield* cloud.clearFaults
      return empty(204)
    default:
      return nothingAt(method, path)
  }
})

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** Continues where a cloud was when `GET /cloud/snapshot` answered. A cloud that refuses one stays as it is. */
const loadSnapshot = Effect.fnUntraced(function* (body: Uint8Array) {
  const saved = decodeJson(new TextDecoder().decode(body))
  const world = Result.isFailure(saved) ? saved.failure.message : worldOf(saved.success)
  if (typeof world === "string") {
    return json(400, { message: `This is not a snapshot: ${world}.`, expected: "the body of GET /cloud/snapshot" })
  }
  yield* (yield* SimulatedCloud).load(world)
  return empty(204)
})

const decodeFault = Schema.decodeUnknownResult(Schema.fromJsonString(FaultRule), {
  onExcessProperty: "error",
  errors: "all"
})

/** The expected shape of a fault, part of the refusal for the person who writes it. */
const rightRule = {
  service: services.join(" | "),
  method: "POST",
  path: "/v3/projects (below the mount; * is one segment, ** is any rest)",
  nth: "optional: the first matching call that is hit, from 1",
  times: 'optional: how many in a row, from 1, or "always"',
  when: "before | after (the effect of the call)",
  as: '{"status": 503, "body": …} | {"delay_ms": 250} | "hang" | "reset" | "garbage"'
}

const addFault = Effect.fnUntraced(function* (body: Uint8Array) {
  const cloud = yield* SimulatedCloud
  const rule = decodeFault(new TextDecoder().decode(body))
  if (Result.isFailure(rule)) return json(400, { message: rule.failure.message, expected: rightRule })
  return json(201, yield* cloud.fault(rule.success))
})

const Log = Schema.fromJsonString(
  Schema.Struct({
    namespace: Schema.String,
    pod: Schema.String,
    container: Schema.String,
    text: Schema.String
  })
)

const decodeLog = Schema.decodeUnknownResult(Log, { onExcessProperty: "error", errors: "all" })

/** Containers write no logs by themselves; this call writes for them. */
const addLog = Effect.fnUntraced(function* (body: Uint8Array) {
  const { now, world } = yield* SimulatedCloud
  const log = decodeLog(new TextDecoder().decode(body))
  if (Result.isFailure(log)) {
    const expected = '{"namespace": "…", "pod": "…", "container": "…", "text": "one line\\nanother\\n"}'
    return json(400, { message: log.failure.message, expected })
  }
  const { text, ...source } = log.success
  writeLog(world.kubernetes, source, text, yield* now)
  return empty(204)
})

/** The cloud's own time, and how far it is ahead of the machine's. */
const shownClock = Effect.gen(function* () {
  const { now, world } = yield* SimulatedCloud
  return json(200, { now: new Date(yield* now).toISOString(), ahead_seconds: world.clock.aheadMillis / 1000 })
})

/** At most a year at once: the operators act out all of it. */
const longestMove = 366 * 24 * 3600

const Move = Schema.fromJsonString(
  Schema.Struct({ advance_seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestMove })) })
)

const decodeMove = Schema.decodeUnknownResult(Move, { onExcessProperty: "error", errors: "all" })

const moveClock = Effect.fnUntraced(function* (body: Uint8Array) {
  const move = decodeMove(new TextDecoder().decode(body))
  if (Result.isFailure(move)) {
    const expected = `{"advance_seconds": 600}, whole seconds from 1 to ${longestMove}`
    return json(400, { message: move.failure.message, expected })
  }
  const cloud = yield* SimulatedCloud
  const { advance_seconds } = move.success
  if (cloud.world.clock.aheadMillis + advance_seconds * 1000 > furthestAheadMillis) {
    const message = `The cloud's clock may be at most ${furthestAheadMillis / 1000} seconds ahead of the machine's.`
    return json(400, { message, expected: "fewer seconds, or a new cloud" })
  }
  yield* cloud.advance(advance_seconds)
  return yield* shownClock
})

const decodePublished = Schema.decodeUnknownResult(Schema.fromJsonString(Records), {
  onExcessProperty: "error",
  errors: "all"
})

/**
 * Publishes records in the DNS outside the cloud, such as a registry's delegation. A set without records is
 * removed.
 */
const publishRecords = Effect.fnUntraced(function* (body: Uint8Array) {
  const { world } = yield* SimulatedCloud
  const published = decodePublished(new TextDecoder().decode(body))
  if (Result.isFailure(published)) {
    const expected =
      '{"name": "example.org.", "type": "NS", "records": ["ns1.dns.simulated."], "ttl": 60}, ttl optional'
    return json(400, { message: published.failure.message, expected })
  }
  const { name, records, ttl, type } = published.success
  publish(world.dns, name, type, records, ttl)
  return empty(204)
})

const IssuerChange = Schema.fromJsonString(
  Schema.Struct({
    issuer: Schema.optionalKey(Schema.String),
    jwks_uri: Schema.optionalKey(Schema.String),
    rotate: Schema.optionalKey(Schema.Boolean),
    keep: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
  })
)

const decodeIssuerChange = Schema.decodeUnknownResult(IssuerChange, { onExcessProperty: "error", errors: "all" })

/** Restarts the API server with another issuer, or with another signing key. */
const changeIssuer = Effect.fnUntraced(function* (body: Uint8Array) {
  const { kubernetes } = (yield* SimulatedCloud).world
  const change = decodeIssuerChange(new TextDecoder().decode(body))
  if (Result.isFailure(change)) {
    const expected =
      '{"issuer": "https://…", "jwks_uri": "https://…", "rotate": true, "keep": 1}, each of them optional'
    return json(400, { message: change.failure.message, expected })
  }
  const { issuer, jwks_uri, keep, rotate } = change.success
  const { tokenIssuer } = kubernetes
  tokenIssuer.issuer = issuer ?? tokenIssuer.issuer
  tokenIssuer.jwksUri = jwks_uri ?? tokenIssuer.jwksUri
  if (rotate === true) rotateSigningKey(kubernetes, keep)
  const kids = signingKeys(kubernetes).map((_) => _.kid)
  return json(200, { issuer: tokenIssuer.issuer, jwks_uri: tokenIssuer.jwksUri, kids })
})
