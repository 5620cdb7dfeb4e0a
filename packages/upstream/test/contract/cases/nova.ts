import { Nova } from "@portico/upstream/nova/Nova"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect, Option } from "effect"
import { type Answer, at, idOf, only, seen, shapeSeen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers, attempt, until } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const quotas = { cores: 8, ram: 16_384, instances: 5 }

/** The names of what a cloud offers differ; the first of each will do. */
const offered = Effect.gen(function* () {
  const { ask } = yield* Systems
  const flavors = yield* ask("tenant", "GET compute/flavors")
  const images = yield* ask("control", "GET image/images?status=active&visibility=public&limit=1")
  const found = at(images.json, "images", 0, "id")
  return {
    flavorRef: String(at(flavors.json, "flavors", 0, "id")),
    imageRef: found === undefined ? yield* publicImage : String(found)
  }
})

const publicImage = Effect.gen(function* () {
  const { ask } = yield* Systems
  const image = yield* ask("control", "POST image/images", {
    json: { name: "contract", disk_format: "raw", container_format: "bare", visibility: "public" }
  })
  const id = idOf(image, "image") === "no-image" ? String(at(image.json, "id")) : idOf(image, "image")
  yield* ask("control", `PUT image/images/${id}/file`, { text: "data", type: "application/octet-stream" })
  return id
})

const brief = only("server", "id", "name", "status", "tenant_id", "OS-EXT-STS:vm_state", "OS-EXT-STS:task_state")
const statusOf = ({ json }: Answer) => at(json, "server", "status")
const names = ({ json, status, ...answer }: Answer): unknown => {
  const servers = at(json, "servers")
  return Array.isArray(servers)
    ? { status, names: servers.map((_) => at(_, "name")), links: at(json, "servers_links") ?? null }
    : seen({ json, status, ...answer })
}

/**
 * What a call is refused with. Nova asks Keystone whether a project exists, and
 * believes in it when no good answer comes in time; so it is asked again.
 */
const refusal = Effect.fnUntraced(function* <A, R>(call: Effect.Effect<A, UpstreamError, R>) {
  const { pause } = yield* Systems
  let error = yield* Effect.flip(call).pipe(Effect.option)
  for (let again = 0; again < 5 && Option.isNone(error); again++) {
    yield* pause
    error = yield* Effect.flip(call).pipe(Effect.option)
  }
  return Option.match(error, { onNone: () => "never refused", onSome: ({ detail, status }) => `${status} ${detail}` })
})

/** How much memory a server uses is the flavor's matter, and flavors differ from cloud to cloud. */
const withoutRam = (quotas: unknown): unknown => ({ cores: at(quotas, "cores"), instances: at(quotas, "instances") })

/** The same with the flavor and the image that happened to be there, where a refusal quotes them. */
const quoted = (answer: Answer): unknown =>
  JSON.parse(
    JSON.stringify(seen(answer)).replaceAll(
      /'(flavor|image)Ref': '[^']*'/g,
      (_, kind: string) => `'${kind}Ref': '<any>'`
    )
  )

const server = Effect.fnUntraced(function* (word: string) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", "POST compute/servers", {
    headers: { "openstack-api-version": "compute 2.37" },
    json: { server: { name: named(word), ...(yield* offered), networks: "none" } }
  })
})

const ready = (id: string) =>
  Effect.flatMap(Systems, ({ ask }) =>
    until(ask("tenant", `GET compute/servers/${id}`), (_) => statusOf(_) === "ACTIVE")
  )

const gone = (id: string) =>
  Effect.flatMap(Systems, ({ ask }) => until(ask("tenant", `GET compute/servers/${id}`), (_) => _.status === 404))

export const nova: Cases = {
  "limits are written, read back and removed, twice over": Effect.gen(function* () {
    const nova = yield* Nova
    const { tenant } = yield* Systems
    return {
      written: yield* attempt(nova.writeQuotas(tenant, quotas)),
      again: yield* attempt(nova.writeQuotas(tenant, quotas)),
      read: yield* attempt(nova.readQuotas(tenant)),
      removed: yield* attempt(nova.removeQuotas(tenant)),
      removedAgain: yield* attempt(nova.removeQuotas(tenant)),
      defaults: yield* attempt(nova.readQuotas(tenant))
    }
  }),

  "limits of a missing project, and invalid limits": Effect.gen(function* () {
    const nova = yield* Nova
    const { tenant } = yield* Systems
    const result = {
      noProject: yield* refusal(nova.writeQuotas(absent.hex, quotas)),
      readOfNoProject: yield* refusal(nova.readQuotas(absent.hex)),
      removedOfNoProject: yield* attempt(nova.removeQuotas(absent.hex)),
      unlimited: yield* attempt(nova.writeQuotas(tenant, { ...quotas, cores: -1 })),
      below: yield* attempt(nova.writeQuotas(tenant, { ...quotas, cores: -2 })),
      above: yield* attempt(nova.writeQuotas(tenant, { ...quotas, cores: 2 ** 31 })),
      fraction: yield* attempt(nova.writeQuotas(tenant, { ...quotas, cores: 1.5 }))
    }
    yield* nova.removeQuotas(tenant)
    return result
  }),

  "the life of a server: limits below its usage, one too many, a wrong state, removed twice": Effect.gen(function* () {
    const nova = yield* Nova
    const { ask, tenant } = yield* Systems
    yield* nova.writeQuotas(tenant, { ...quotas, instances: 1 })
    const created = yield* server("life")
    const own = `compute/servers/${idOf(created, "server")}`
    const active = yield* ready(idOf(created, "server"))
    const quota = (quota_set: object) => ask("control", `PUT compute/os-quota-sets/${tenant}`, { json: { quota_set } })
    const during = yield* answers({
      belowUsage: quota({ instances: 0 }),
      start: ask("tenant", `POST ${own}/action`, { json: { "os-start": null } }),
      unknownAction: ask("tenant", `POST ${own}/action`, { json: { "os-nothing": null } }),
      noAction: ask("tenant", `POST ${own}/action`, { json: {} }),
      confirm: ask("tenant", `POST ${own}/action`, { json: { confirmResize: null } }),
      resizeToNothing: ask("tenant", `POST ${own}/action`, { json: { resize: { flavorRef: absent.uuid } } }),
      byAnother: ask("other", `GET ${own}`),
      removedByAnother: ask("other", `DELETE ${own}`),
      attachNothing: ask("tenant", `POST ${own}/os-volume_attachments`, {
        json: { volumeAttachment: { volumeId: absent.uuid } }
      }),
      detachNothing: ask("tenant", `DELETE ${own}/os-volume_attachments/${absent.uuid}`),
      metadata: ask("tenant", `POST ${own}/metadata`, { json: { metadata: { colour: "green" } } }),
      metadataOfNothing: ask("tenant", `GET ${own}/metadata/shade`),
      renamedToNothing: ask("tenant", `PUT ${own}`, { json: { server: { name: "" } } })
    })
    const second = yield* server("second")
    const zeroed = yield* attempt(nova.writeQuotas(tenant, { cores: 0, ram: 0, instances: 0 }))
    const used = yield* attempt(nova.readQuotas(tenant))
    const removed = yield* ask("tenant", `DELETE ${own}`)
    const last = yield* gone(idOf(created, "server"))
    yield* nova.removeQuotas(tenant)
    return {
      created: shapeSeen(created),
      active: brief(active),
      shape: shapeSeen(active),
      during,
      second: seen(second),
      zeroed,
      used: withoutRam(used),
      removed: seen(removed),
      last: seen(last),
      removedAgain: seen(yield* ask("tenant", `DELETE ${own}`))
    }
  }),

  "servers come in pages": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const [one, two] = [yield* server("page-one"), yield* server("page-two")]
    yield* ready(idOf(one, "server"))
    yield* ready(idOf(two, "server"))
    const sort = `sort_key=display_name&sort_dir=asc&name=${named("page")}`
    const pages = yield* answers(
      {
        all: ask("tenant", `GET compute/servers?${sort}`),
        first: ask("tenant", `GET compute/servers?${sort}&limit=1`),
        second: ask("tenant", `GET compute/servers?${sort}&limit=1&marker=${idOf(one, "server")}`),
        third: ask("tenant", `GET compute/servers?${sort}&limit=1&marker=${idOf(two, "server")}`),
        detail: ask("tenant", `GET compute/servers/detail?${sort}&limit=1`),
        none: ask("tenant", `GET compute/servers?${sort}&limit=0`),
        noMarker: ask("tenant", `GET compute/servers?${sort}&marker=${absent.uuid}`),
        badLimit: ask("tenant", `GET compute/servers?${sort}&limit=many`),
        negative: ask("tenant", `GET compute/servers?${sort}&limit=-1`),
        ofOthers: ask("other", `GET compute/servers?${sort}`),
        ofAllByTenant: ask("tenant", `GET compute/servers?${sort}&all_tenants=1`),
        ofAll: ask("control", `GET compute/servers?${sort}&all_tenants=1`),
        ofOneByTenant: ask("tenant", `GET compute/servers?${sort}&status=NOTHING`)
      },
      names
    )
    for (const created of [one, two]) yield* ask("tenant", `DELETE compute/servers/${idOf(created, "server")}`)
    for (const created of [one, two]) yield* gone(idOf(created, "server"))
    return pages
  }),

  "invalid requests for servers": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const { flavorRef, imageRef } = yield* offered
    const good = { name: named("wrong"), flavorRef, imageRef, networks: "none" }
    const post = (server: unknown, version = "2.37") =>
      ask("tenant", "POST compute/servers", {
        headers: { "openstack-api-version": `compute ${version}` },
        json: { server }
      })
    const { name: _, ...nameless } = good
    return yield* answers(
      {
        noName: post(nameless),
        emptyName: post({ ...good, name: "" }),
        blankName: post({ ...good, name: "  " }),
        longName: post({ ...good, name: "x".repeat(256) }),
        nameNumber: post({ ...good, name: 7 }),
        noFlavor: post({ ...good, flavorRef: absent.uuid }),
        noImage: post({ ...good, imageRef: absent.uuid }),
        noNetworks: post({ ...good, networks: undefined }),
        noNetwork: post({ ...good, networks: [{ uuid: absent.uuid }] }),
        noGroup: post({ ...good, networks: undefined, security_groups: [{ name: "nothing" }] }, "2.1"),
        noKey: post({ ...good, key_name: "nothing" }),
        unknownField: post({ ...good, colour: "green" }),
        noServer: ask("tenant", "POST compute/servers", { json: {} }),
        noJson: ask("tenant", "POST compute/servers", { text: "{" }),
        noBody: ask("tenant", "POST compute/servers"),
        otherType: ask("tenant", "POST compute/servers", { text: "<server/>", type: "application/xml" })
      },
      quoted
    )
  }),

  "missing resources": Effect.gen(function* () {
    const { ask, other } = yield* Systems
    return yield* answers({
      server: ask("tenant", `GET compute/servers/${absent.uuid}`),
      serverByName: ask("tenant", "GET compute/servers/no-such-id"),
      removed: ask("tenant", `DELETE compute/servers/${absent.uuid}`),
      action: ask("tenant", `POST compute/servers/${absent.uuid}/action`, { json: { "os-start": null } }),
      console: ask("tenant", `POST compute/servers/${absent.uuid}/action`, { json: { "os-getConsoleOutput": {} } }),
      volumes: ask("tenant", `GET compute/servers/${absent.uuid}/os-volume_attachments`),
      flavor: ask("tenant", `GET compute/flavors/${absent.uuid}`),
      keypair: ask("tenant", "GET compute/os-keypairs/nothing"),
      group: ask("tenant", `GET compute/os-server-groups/${absent.uuid}`),
      path: ask("tenant", "GET compute/nothing-here"),
      slash: ask("tenant", "GET compute/servers/"),
      otherProject: ask("tenant", `GET compute/${other}/servers`),
      method: ask("tenant", `PATCH compute/servers/${absent.uuid}`, { json: {} })
    })
  }),

  "requests that tenants may not make": Effect.gen(function* () {
    const { ask, other, tenant } = yield* Systems
    return yield* answers({
      quota: ask("tenant", `PUT compute/os-quota-sets/${tenant}`, { json: { quota_set: { cores: 99 } } }),
      otherQuota: ask("tenant", `GET compute/os-quota-sets/${other}`),
      removedQuota: ask("tenant", `DELETE compute/os-quota-sets/${tenant}`),
      flavor: ask("tenant", "POST compute/flavors", { json: { flavor: { name: "x", ram: 1, vcpus: 1, disk: 1 } } }),
      hypervisors: ask("tenant", "GET compute/os-hypervisors"),
      services: ask("tenant", "GET compute/os-services"),
      nobody: ask("nobody", "GET compute/servers"),
      nonsense: ask({ token: "nonsense" }, "GET compute/servers")
    })
  }),

  "limits in the raw": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    const put = (quota_set: unknown) => ask("control", `PUT compute/os-quota-sets/${tenant}`, { json: { quota_set } })
    const result = yield* answers({
      own: ask("tenant", `GET compute/os-quota-sets/${tenant}`),
      detail: ask("tenant", `GET compute/os-quota-sets/${tenant}/detail`),
      text: put({ cores: "7" }),
      words: put({ cores: "many" }),
      unknown: put({ colours: 7 }),
      none: put({}),
      noSet: ask("control", `PUT compute/os-quota-sets/${tenant}`, { json: {} }),
      forced: put({ cores: 6, force: true }),
      removed: ask("control", `DELETE compute/os-quota-sets/${tenant}`)
    })
    return result
  }),

  "versions that compute does not speak": Effect.gen(function* () {
    const { ask } = yield* Systems
    const version = (version: string) =>
      ask("tenant", "GET compute/flavors?limit=0", { headers: { "openstack-api-version": version } })
    return yield* answers(
      {
        tooNew: version("compute 2.999"),
        tooOld: version("compute 1.0"),
        nonsense: version("compute two"),
        ofAnother: version("volume 3.70"),
        good: version("compute 2.60")
      },
      (answer) => (answer.status < 300 ? shapeSeen(answer) : seen(answer))
    )
  })
}
