import { assert, it } from "@effect/vitest"
import { createZone } from "@portico/domain/dns/createZone"
import { createDatabase } from "@portico/domain/databases/create"
import { resizeDatabase } from "@portico/domain/databases/resize"
import { importZone } from "@portico/domain/dns/importZone"
import { changeZone } from "@portico/domain/dns/zones"
import { verifyExposure } from "@portico/domain/edge/verify"
import { createBucket } from "@portico/domain/objectStorage/buckets"
import { setCors } from "@portico/domain/objectStorage/cors"
import { rotateCredentials } from "@portico/domain/objectStorage/credentials"
import { setVersioning } from "@portico/domain/objectStorage/versioning"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { inTime } from "@portico/testing/clock"
import { tenantOf } from "@portico/testing/tenants/tenant"
import { DateTime, Effect } from "effect"
import { create, minutes, restore } from "../databases/backups.ts"
import { added } from "../dns/dns.ts"
import { acmeAndGlobex, atAddress, atService, exposed, publishes, withDomain } from "../edge/edge.ts"
import { type Chain, chains, metadata, readByApiServer } from "./table.ts"
import { type Written, writesOf } from "./writes.ts"

/** All that a tenant can make the gateway write for operators and services. */
const everythingOf = Effect.fnUntraced(function* (acme: string) {
  yield* tenantOf("discovery", "Initech")
  yield* create(acme, { replicas: 1, size_gb: 5 })
  yield* create(acme, { name: "plain", size_gb: 5, backup: { enabled: false } })
  yield* inTime(createDatabase(acme, { engine: "kafka", name: "stream", version: "4.3.1", size_gb: 5 }))
  yield* minutes(65)
  const point = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { minutes: 30 }))
  yield* restore(acme, { to_point_in_time: point.replace("Z", "5Z"), replicas: 2 })
  yield* minutes(10)
  yield* inTime(resizeDatabase(acme, "postgres", "plain", { size_gb: 6, replicas: 2 }))
  yield* inTime(resizeDatabase(acme, "kafka", "stream", { size_gb: 6 }))

  yield* exposed(acme, atAddress)
  yield* exposed(acme, atService)
  const { domain, exposure_id } = yield* exposed(acme, { ...withDomain, name: "own" })
  yield* publishes("shop.example", domain?.challenge.value ?? "")
  yield* inTime(verifyExposure(acme, exposure_id))

  const { zone_id } = yield* inTime(createZone(acme, { name: "example.org.", ttl: 300, description: "ours" }))
  yield* minutes(1)
  yield* inTime(changeZone(acme, zone_id, { email: "dns@example.org", ttl: 600, description: null }))
  yield* added(acme, zone_id, { name: "www", type: "A", records: ["192.0.2.1"], ttl: 60, description: "web" })
  const zonefile = 'six AAAA 2001:DB8::1\nalso CNAME www\n@ MX 10 mail\nt TXT "gr\u00fcn a;b"\nwww A 192.0.2.2'
  yield* inTime(importZone(acme, zone_id, { zonefile, dry_run: false, prune: false }))

  yield* inTime(createBucket(acme, "pictures"))
  yield* inTime(setVersioning(acme, "pictures", { versioning: "enabled" }))
  const rule = { allowed_origins: ["https://shop.example"], allowed_methods: ["GET" as const], allowed_headers: ["*"] }
  const rules = [{ ...rule, expose_headers: ["ETag"], max_age_seconds: 60 }]
  yield* inTime(setCors(acme, "pictures", { rules }))
  yield* inTime(rotateCredentials(acme))
  yield* inTime(moveTier(acme, "extension"))
})

/** The row of a written value: of the metadata of an object, or of its own place. */
const rowOf = (at: string): Chain | undefined => {
  const [, part] = /^\w+ (metadata\.(?:name$|namespace$|resourceVersion$|labels|annotations))/.exec(at) ?? []
  return (part === undefined ? chains : metadata).find((_) => _.at === (part ?? at))
}

const isDirect = ({ at }: Written): boolean => {
  const [kind = "", field = ""] = at.split(" ")
  return readByApiServer.includes(kind) || field === "apiVersion" || field === "kind"
}

it.effect("every value written for an operator or service has the form that its last reader takes", () =>
  Effect.gen(function* () {
    const { acme } = yield* acmeAndGlobex
    const written = (yield* writesOf(everythingOf(acme))).filter((_) => !isDirect(_))
    const undecided = new Set(written.map((_) => _.at).filter((_) => rowOf(_) === undefined))
    assert.deepStrictEqual([...undecided], [], "values without a row in table.ts")
    const seen = new Set(written.map((_) => rowOf(_.at)))
    assert.deepStrictEqual(
      [...chains, ...metadata].filter((_) => !seen.has(_)).map((_) => _.at),
      [],
      "rows that nothing writes"
    )
    assert.deepStrictEqual(
      written.filter(({ at, value }) => rowOf(at)?.form.test(value) !== true),
      [],
      "values of another form"
    )
  }).pipe(Effect.provide(Simulated))
)
