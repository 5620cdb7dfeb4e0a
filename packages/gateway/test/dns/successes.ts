import { addRecordset, addZone } from "@portico/simulator/designate/writes"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Result } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { nextOf } from "../routes/nextOf.ts"

/** A zone of acme's with a recordset, which Designate has known for an hour. */
const there = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { designate } = (yield* SimulatedCloud).world
  const name = `matrix-${nextOf("dns")}.example.`
  const at = 0
  const zone = addZone(designate, at, {
    project_id: acme.projectId,
    name,
    email: "host@matrix.example",
    ttl: 3600,
    description: null,
    type: "PRIMARY",
    masters: [],
    attributes: {}
  })
  const record = Result.flatMap(zone, (_) =>
    addRecordset(designate, at, _, {
      name: `www.${name}`,
      type: "A",
      records: ["192.0.2.1"],
      ttl: null,
      description: null
    })
  )
  if (Result.isFailure(zone) || Result.isFailure(record)) return yield* Effect.die("Designate makes no zone")
  return { zone: zone.success.id, recordset: record.success.id }
})

/** No zone is in the way of the next ones, and nobody waits until the name servers have forgotten it. */
const after = Effect.gen(function* () {
  const { recordsets, zones } = (yield* SimulatedCloud).world.designate
  for (const id of Object.keys(zones)) delete zones[id]
  for (const id of Object.keys(recordsets)) delete recordsets[id]
})

const at = (rest: (there: { readonly recordset: string }) => string, body?: unknown): Success["prepare"] =>
  Effect.map(there, (_) => ({ path: `/v1/dns/zones/${_.zone}${rest(_)}`, body }))

const elsewhere = {
  status: 404,
  body: (path: string) => ({ detail: `Zone '${path.split("/")[4]}' not found`, code: "dns_zone_not_found" })
}

const create = Effect.sync(() => ({ path: "/v1/dns/zones", body: { name: `fresh-${nextOf("dns")}.example.` } }))
const record = { name: "new", type: "TXT", records: ["hello"] }
const one = ({ recordset }: { readonly recordset: string }) => `/recordsets/${recordset}`

/** One that removes, changes and adds. */
export const longImport: Success = {
  status: 200,
  prepare: Effect.map(there, ({ zone }) => ({
    path: `/v1/dns/zones/${zone}/import`,
    body: { zonefile: 'www A 192.0.2.2\nwww A 192.0.2.3\nnew A 192.0.2.1\nmail TXT "a"\n', prune: true, dry_run: false }
  })),
  after
}

export const dnsSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/dns/zones": { status: 200, prepare: Effect.as(there, { path: "/v1/dns/zones" }), after },
  "POST /v1/dns/zones": { status: 201, prepare: create, after },
  "GET /v1/dns/zones/:zone_id": { status: 200, prepare: at(() => ""), elsewhere, after },
  "PATCH /v1/dns/zones/:zone_id": { status: 200, prepare: at(() => "", { ttl: 300 }), elsewhere, after },
  "DELETE /v1/dns/zones/:zone_id": { status: 202, prepare: at(() => ""), elsewhere, after },
  "GET /v1/dns/zones/:zone_id/recordsets": { status: 200, prepare: at(() => "/recordsets"), elsewhere, after },
  "POST /v1/dns/zones/:zone_id/recordsets": {
    status: 201,
    prepare: at(() => "/recordsets", record),
    elsewhere,
    after
  },
  "PATCH /v1/dns/zones/:zone_id/recordsets/:recordset_id": {
    status: 200,
    prepare: at(one, { ttl: 300 }),
    elsewhere,
    after
  },
  "DELETE /v1/dns/zones/:zone_id/recordsets/:recordset_id": { status: 202, prepare: at(one), elsewhere, after },
  "POST /v1/dns/zones/:zone_id/import": {
    status: 200,
    prepare: at(() => "/import", { zonefile: "new A 192.0.2.1\n", dry_run: false }),
    elsewhere,
    after
  },
  "GET /v1/dns/zones/:zone_id/delegation": { status: 200, prepare: at(() => "/delegation"), elsewhere, after }
}
