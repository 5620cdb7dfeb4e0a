import { Effect } from "effect"
import { type Answer, at, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers, until } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const idIn = ({ json }: Answer) => String(at(json, "id"))

const zone = Effect.fnUntraced(function* (word: string) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", "POST dns/zones", {
    json: { name: `${named(word)}.example.`, email: "host@example.org" }
  })
})

const settled = (path: string) =>
  Effect.flatMap(Systems, ({ ask }) =>
    until(ask("tenant", `GET dns/${path}`), ({ json, status }) => status !== 200 || at(json, "status") !== "PENDING")
  )

const gone = (path: string) =>
  Effect.flatMap(Systems, ({ ask }) => until(ask("tenant", `GET dns/${path}`), (_) => _.status === 404))

const names =
  (key: string) =>
  (answer: Answer): unknown => {
    const items = at(answer.json, key)
    return Array.isArray(items)
      ? { status: answer.status, names: items.map((_) => at(_, "name")), links: at(answer.json, "links") ?? null }
      : seen(answer)
  }

/** A serial is a time, and a version counts how often the workers have written too. */
const serial = (answer: Answer): Answer =>
  at(answer.json, "serial") === undefined
    ? answer
    : {
        ...answer,
        json: {
          ...Object(answer.json),
          serial: typeof at(answer.json, "serial"),
          version: typeof at(answer.json, "version")
        }
      }

export const designate: Cases = {
  "the life of a zone: created, conflicting, filled, changed, removed twice": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const created = yield* zone("life")
    const id = idIn(created)
    const own = `dns/zones/${id}`
    const active = yield* settled(`zones/${id}`)
    const name = `${named("life")}.example.`
    const post = (recordset: object) =>
      ask("tenant", `POST ${own}/recordsets`, { json: { type: "A", records: ["192.0.2.1"], ...recordset } })
    const record = yield* post({ name: `www.${name}` })
    const recordActive = yield* settled(`zones/${id}/recordsets/${idIn(record)}`)
    const during = yield* answers(
      {
        again: zone("life"),
        byAnother: ask("other", `GET ${own}`),
        takenByAnother: ask("other", "POST dns/zones", { json: { name, email: "host@example.org" } }),
        belowByAnother: ask("other", "POST dns/zones", { json: { name: `sub.${name}`, email: "host@example.org" } }),
        removedByAnother: ask("other", `DELETE ${own}`),
        recordAgain: post({ name: `www.${name}` }),
        recordOutside: post({ name: "www.elsewhere.example." }),
        badAddress: post({ name: `bad.${name}`, records: ["nonsense"] }),
        noRecords: post({ name: `bad.${name}`, records: [] }),
        oddType: post({ name: `bad.${name}`, type: "NONSENSE" }),
        noDot: post({ name: `bad.${name}`.slice(0, -1) }),
        aliasBeside: post({ name: `www.${name}`, type: "CNAME", records: ["other.example."] }),
        noRecordset: ask("tenant", `GET ${own}/recordsets/${absent.uuid}`),
        renamed: ask("tenant", `PATCH ${own}`, { json: { name: "elsewhere.example." } }),
        badEmail: ask("tenant", `PATCH ${own}`, { json: { email: "nonsense" } })
      },
      (_) => seen(serial(_))
    )
    const changed = yield* ask("tenant", `PATCH ${own}`, { json: { ttl: 300 } })
    yield* settled(`zones/${id}`)
    const removed = yield* ask("tenant", `DELETE ${own}`)
    const last = yield* gone(`zones/${id}`)
    return {
      created: seen(serial(created)),
      active: seen(serial(active)),
      record: seen(record),
      recordActive: seen(recordActive),
      during,
      changed: seen(serial(changed)),
      removed: seen(serial(removed)),
      last: seen(last),
      removedAgain: seen(yield* ask("tenant", `DELETE ${own}`))
    }
  }),

  "a recordset is changed in place, as far as it can be": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const id = idIn(yield* zone("sets"))
    const own = `dns/zones/${id}`
    yield* settled(`zones/${id}`)
    const name = `${named("sets")}.example.`
    const post = (recordset: object) => ask("tenant", `POST ${own}/recordsets`, { json: recordset })
    const www = yield* post({ name: `www.${name}`, type: "A", records: ["192.0.2.1"], ttl: 60 })
    const set = `${own}/recordsets/${idIn(www)}`
    const put = (json: object) => ask("tenant", `PUT ${set}`, { json })
    const soa = yield* ask("tenant", `GET ${own}/recordsets?type=SOA`)
    const soaId = String(at(at(at(soa.json, "recordsets"), "0"), "id"))
    const writes = yield* answers({
      // One alone: of several, Designate has no order.
      otherRecords: put({ records: ["192.0.2.2"] }),
      zonesTime: put({ ttl: null }),
      described: put({ description: "web" }),
      nothing: put({}),
      wrongRecords: put({ records: ["nonsense"] }),
      otherName: put({ name: `ftp.${name}` }),
      otherType: put({ type: "TXT" }),
      byAnother: ask("other", `PUT ${set}`, { json: { ttl: 60 } }),
      patched: ask("tenant", `PATCH ${set}`, { json: { ttl: 60 } }),
      soa: ask("tenant", `PUT ${own}/recordsets/${soaId}`, { json: { ttl: 60 } }),
      soaRemoved: ask("tenant", `DELETE ${own}/recordsets/${soaId}`),
      text: post({ name: `text.${name}`, type: "TXT", records: ['"gr\\195\\188n \\"so\\""'] }),
      mail: post({ name, type: "MX", records: ["10 mail.example.net."] }),
      noMail: post({ name: `no.${name}`, type: "MX", records: ["0 ."] }),
      wildcard: post({ name: `*.${name}`, type: "A", records: ["192.0.2.9"] }),
      wildcardWithin: post({ name: `a.*.${name}`, type: "A", records: ["192.0.2.9"] }),
      apexAlias: post({ name, type: "CNAME", records: ["www.example.net."] }),
      twoAliases: post({ name: `two.${name}`, type: "CNAME", records: ["a.example.net.", "b.example.net."] }),
      zonesNameInCapitals: post({ name: `up.${name.toUpperCase()}`, type: "A", records: ["192.0.2.9"] }),
      tooMany: post({
        name: `many.${name}`,
        type: "A",
        records: Array.from({ length: 21 }, (_, i) => `192.0.2.${i}`)
      }),
      twiceTheSame: post({ name: `same.${name}`, type: "A", records: ["192.0.2.1", "192.0.2.1"] }),
      removed: ask("tenant", `DELETE ${set}`),
      removedAgain: ask("tenant", `DELETE ${set}`)
    })
    const servers = at((yield* ask("tenant", `GET ${own}/nameservers`)).json, "nameservers")
    yield* ask("tenant", `DELETE ${own}`)
    yield* gone(`zones/${id}`)
    return { ...writes, serverKeys: Array.isArray(servers) ? Object.keys(Object(servers[0])).toSorted() : servers }
  }),

  "zones come in pages": Effect.gen(function* () {
    const { ask } = yield* Systems
    const created = [yield* zone("page-one"), yield* zone("page-two")]
    const [one = "", two = ""] = created.map(idIn)
    for (const id of [one, two]) yield* settled(`zones/${id}`)
    const list = (query: string, who: "tenant" | "other" = "tenant") =>
      ask(who, `GET dns/zones?sort_key=name&sort_dir=asc${query}`)
    const pages = yield* answers(
      {
        all: list(""),
        first: list("&limit=1"),
        second: list(`&limit=1&marker=${one}`),
        third: list(`&limit=1&marker=${two}`),
        noMarker: list(`&marker=${absent.uuid}`),
        badMarker: list("&marker=nonsense"),
        badLimit: list("&limit=many"),
        negative: list("&limit=-1"),
        badSort: ask("tenant", "GET dns/zones?sort_key=colour"),
        ofOthers: list("", "other"),
        ofAllByTenant: ask("tenant", "GET dns/zones", { headers: { "x-auth-all-projects": "true" } })
      },
      names("zones")
    )
    for (const id of [one, two]) yield* ask("tenant", `DELETE dns/zones/${id}`)
    for (const id of [one, two]) yield* gone(`zones/${id}`)
    return pages
  }),

  "invalid requests for zones": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const post = (json: unknown) => ask("tenant", "POST dns/zones", { json })
    const email = "host@example.org"
    return yield* answers({
      noName: post({ email }),
      noEmail: post({ name: `${named("wrong")}.example.` }),
      noDot: post({ name: `${named("wrong")}.example`, email }),
      oneLabel: post({ name: "example.", email }),
      longName: post({ name: `${"x".repeat(64)}.example.`, email }),
      badEmail: post({ name: `${named("wrong")}.example.`, email: "nonsense" }),
      badTtl: post({ name: `${named("wrong")}.example.`, email, ttl: -1 }),
      oddType: post({ name: `${named("wrong")}.example.`, email, type: "NONSENSE" }),
      unknownField: post({ name: `${named("wrong")}.example.`, email, colour: "green" }),
      empty: post({}),
      noJson: ask("tenant", "POST dns/zones", { text: "{" }),
      noBody: ask("tenant", "POST dns/zones")
    })
  }),

  "missing resources, and requests that tenants may not make": Effect.gen(function* () {
    const { ask, other, tenant } = yield* Systems
    return yield* answers({
      zone: ask("tenant", `GET dns/zones/${absent.uuid}`),
      zoneByName: ask("tenant", "GET dns/zones/nonsense"),
      removed: ask("tenant", `DELETE dns/zones/${absent.uuid}`),
      recordsets: ask("tenant", `GET dns/zones/${absent.uuid}/recordsets`),
      path: ask("tenant", "GET dns/nothing-here"),
      ownQuota: ask("tenant", `GET dns/quotas/${tenant}`),
      otherQuota: ask("tenant", `GET dns/quotas/${other}`),
      quota: ask("tenant", `PATCH dns/quotas/${tenant}`, { json: { zones: 99 } }),
      tlds: ask("tenant", "POST dns/tlds", { json: { name: "example" } }),
      nobody: ask("nobody", "GET dns/zones"),
      nonsense: ask({ token: "nonsense" }, "GET dns/zones")
    })
  }),

  "one zone more than the limit": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    const all = { headers: { "x-auth-all-projects": "true" } }
    const limit = yield* ask("control", `PATCH dns/quotas/${tenant}`, { json: { zones: 0 }, ...all })
    const over = yield* zone("over")
    const without = yield* ask("control", `PATCH dns/quotas/${tenant}`, { json: { zones: 1 } })
    const removed = yield* ask("control", `DELETE dns/quotas/${tenant}`, all)
    return { limit: seen(limit), over: seen(over), without: seen(without), removed: seen(removed) }
  })
}
