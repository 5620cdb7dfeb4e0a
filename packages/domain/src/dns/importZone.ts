import type { ImportedSet, ZoneImport, ZoneImported } from "@portico/contract/Dns"
import { BadGateway, Conflict, Invalid, Unavailable } from "@portico/contract/Failures"
import type { DesignateRecordset, DesignateZone, TenantDns } from "@portico/upstream/designate/Designate"
import { turnForText } from "@portico/upstream/limits/longTexts"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, Duration, Effect } from "effect"
import { exclusively } from "../work/exclusively.ts"
import { badGateway } from "../badGateway.ts"
import { notSuspended } from "../limits/tenantTier.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { type Plan, planOf } from "./diff.ts"
import { ownZone } from "./zone.ts"
import { readZoneFile, type ZoneFile } from "./zoneFile.ts"

/** No change starts after this time, so the last one ends before the lease does. */
const timeLimit = Duration.seconds(45)

/**
 * Applies a zone file to a zone, or reports the changes (dry run). It adds and changes sets; with
 * `prune` it also removes sets that the file lacks. Sets that already match are skipped, so a
 * repeated request continues an interrupted import. One import of a zone runs at a time.
 *
 * Errors: 403 for added records in a suspended tenant; 404; 409 for an alias beside other records,
 * and beyond Designate's limits, before anything is changed; 422 with the invalid lines; 502 with
 * the changes made before the failure; 503 when the tenant has too many long texts waiting.
 */
export const importZone = Effect.fn("dns.importZone")(function* (
  projectId: string,
  zoneId: string,
  { dry_run, prune, zonefile }: ZoneImport
) {
  const { dns, zone } = yield* ownZone(projectId, zoneId)
  // The calls that waited for the zone go on together.
  if (zonefile.length > longFile) {
    yield* Effect.mapError(turnForText(projectId, zonefile.length), () => Unavailable.overloaded("the gateway"))
  }
  const file = readZoneFile(zonefile, zone.name)
  const problems = [...file.problems, ...crowdedAliases(file), ...(prune ? unknownTypes(file) : [])]
  if (problems.length > 0) {
    return yield* Invalid.issues(
      problems
        .slice(0, mostProblems)
        .map(({ line, msg }) => ({ loc: ["body", "zonefile", line], msg: `line ${line}: ${msg}`, type: "zone_file" }))
    )
  }
  const planned = planFor(projectId, dns, zone, file, prune)
  if (dry_run) return answerOf(yield* planned, file, true)
  const carriedOut = Effect.flatMap(planned, (plan) => Effect.as(apply(dns, zone, plan), plan))
  const plan = yield* (yield* RunToCompletion).run(exclusively(`dns/zones/${zone.id}`, busy)(carriedOut))
  return answerOf(plan, file, false)
})

const busy = () => Conflict.concurrentChange("the zone by an import")

/** In characters. A longer file takes milliseconds to read. */
const longFile = 4 * 1024

/** The most problems reported: a file with more is probably not a zone file. */
const mostProblems = 100

/** RFC 1034, section 3.6.2: a name has one alias. */
const crowdedAliases = ({ records }: ZoneFile) =>
  [
    ...Map.groupBy(
      records.filter((_) => _.type === "CNAME"),
      (_) => _.name
    ).values()
  ].flatMap((same) => {
    const [first] = same
    return same
      .filter((_) => _.data !== first?.data)
      .map(({ line, name }) => ({ line, msg: `'${name}' has a CNAME already, in line ${first?.line}` }))
  })

/** A word that is misspelled, or another name of a type that is written here: prune would delete what it stands for. */
const unknownTypes = ({ skipped }: ZoneFile) =>
  skipped.flatMap(({ line, unknownType }) =>
    unknownType === undefined
      ? []
      : [
          {
            line,
            msg:
              `the record type ${unknownType} is not known here, and prune could delete the records that it means: ` +
              "write TYPE and its number (RFC 3597), leave the line out, or import without prune"
          }
        ]
  )

const planFor = Effect.fnUntraced(function* (
  projectId: string,
  dns: TenantDns,
  zone: DesignateZone,
  file: ZoneFile,
  prune: boolean
) {
  const read = Effect.all([dns.recordsets(zone.id), dns.quotas], { concurrency: "unbounded" })
  const [existing, quotas] = yield* Effect.mapError(read, badGateway)
  const plan = planOf(zone, existing, file.records, prune)
  // A dry run fails here as well.
  if (plan.create.length > 0) yield* notSuspended(projectId)
  if (plan.aliasConflict !== undefined) return yield* Conflict.aliasBesideOthers(plan.aliasConflict)
  const all = [...plan.create, ...plan.update.map((_) => _.after)]
  yield* within("recordsets in the zone", quotas.zone_recordsets, plan.recordsets, plan.create.length)
  yield* within("records in the zone", quotas.zone_records, plan.records, plan.records)
  for (const { name, records, type } of all) {
    yield* within(`${type} records of '${name}'`, quotas.recordset_records, records.length, records.length)
  }
  return plan
})

/**
 * Checks the result of an import against a limit of Designate; a negative limit means none.
 *
 * @param after the resulting number
 * @param requested how many of them are requested
 */
const within = (what: string, limit: number, after: number, requested: number) =>
  limit < 0 || after <= limit || requested === 0
    ? Effect.void
    : Effect.fail(Conflict.ceilingReached(what, "", { requested, used: after - requested, limit }))

interface Change {
  readonly name: string
  readonly run: Effect.Effect<unknown, UpstreamError>
}

/** Removals come first, because an alias may replace what they remove. */
const changesOf = (dns: TenantDns, zone: DesignateZone, { create, remove, update }: Plan): ReadonlyArray<Change> => [
  ...remove.map(({ id, name, type }) => ({ name: `delete ${name} ${type}`, run: dns.removeRecordset(zone.id, id) })),
  ...update.map(({ after: { name, records, ttl, type }, before }) => ({
    name: `update ${name} ${type}`,
    run: dns.changeRecordset(zone.id, before.id, { records, ttl })
  })),
  ...create.map(({ name, records, ttl, type }) => ({
    name: `create ${name} ${type}`,
    run: dns.createRecordset(zone.id, { name, type }, { records, ttl })
  }))
]

const apply = Effect.fnUntraced(function* (dns: TenantDns, zone: DesignateZone, plan: Plan) {
  const begun = yield* Clock.currentTimeMillis
  const applied: Array<string> = []
  for (const { name, run } of changesOf(dns, zone, plan)) {
    if ((yield* Clock.currentTimeMillis) - begun > Duration.toMillis(timeLimit)) {
      const message = `not done within ${Duration.format(timeLimit)}`
      return yield* BadGateway.zoneImport({ at: name, message, transient: true, applied })
    }
    yield* Effect.mapError(run, ({ summary, transient }) =>
      BadGateway.zoneImport({ at: name, message: summary, transient, applied })
    )
    applied.push(name)
  }
})

const shown = ({ name, records, ttl, type }: DesignateRecordset): ImportedSet => ({ name, type, ttl, records })

const answerOf = (plan: Plan, { skipped }: ZoneFile, dry_run: boolean): ZoneImported => ({
  dry_run,
  create: plan.create,
  update: plan.update.map(({ after, before }) => ({ before: shown(before), after })),
  unchanged: plan.unchanged,
  delete: plan.remove.map(shown),
  skipped: skipped.map(({ line, why }) => ({ line, why }))
})
