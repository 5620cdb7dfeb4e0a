import { Effect, FileSystem } from "effect"
import { dirname, join, resolve } from "node:path"
import { setEntry, unsetEntry, untouched, type NamedEntry } from "../entries.ts"
import type { Change } from "../files.ts"
import type { Plan } from "../Plan.ts"
import { configHome, variable } from "../surroundings.ts"
import type { Allowed, Target } from "../Target.ts"

export interface OpenstackOptions extends Allowed {
  /** Of the cloud in the files. */
  readonly name: string
  readonly region?: string | undefined
  /** The token, if it may be stored. */
  readonly token?: string | undefined
}

/** The first of the files that clients read, and its neighbour for secrets. */
export const pathsOf = Effect.gen(function* () {
  const clouds = (yield* variable("OS_CLIENT_CONFIG_FILE")) ?? join(yield* configHome("openstack"), "clouds.yaml")
  const secure = (yield* variable("OS_CLIENT_SECURE_FILE")) ?? join(dirname(clouds), "secure.yaml")
  return { clouds: resolve(clouds), secure: resolve(secure) }
})

const cloud = (name: string): NamedEntry => ({ collection: "clouds", kind: "map", name, what: `The cloud '${name}'` })

/** A file in the working directory comes before that of the user. */
const shadowed = Effect.fnUntraced(function* (clouds: string) {
  const local = resolve("clouds.yaml")
  const files = yield* FileSystem.FileSystem
  const isThere = yield* Effect.orElseSucceed(files.exists(local), () => false)
  return isThere && local !== clouds ? [`${local} comes before ${clouds}: clients that start here read that one`] : []
})

export const openstack = Effect.fnUntraced(function* (target: Target, options: OpenstackOptions) {
  const { name, region, token } = options
  const paths = yield* pathsOf
  const fields = {
    auth_type: "v3token",
    auth: { auth_url: `${target.url}/openstack/identity` },
    ...(region === undefined ? {} : { region_name: region }),
    ...(target.caFile === undefined ? {} : { cacert: target.caFile })
  }
  const managed = ["auth_type", "auth", "cacert"]
  const changes: Array<Change> = [
    yield* setEntry(yield* untouched(paths.clouds), cloud(name), fields, target, { ...options, managed })
  ]
  if (token !== undefined) {
    const secure = { ...(yield* untouched(paths.secure)), isSecret: true }
    const wanted = { ...cloud(name), what: `The secret of the cloud '${name}'` }
    changes.push(yield* setEntry(secure, wanted, { auth: { token } }, target, { ...options, managed }))
  }
  const use =
    token === undefined
      ? `No secret was stored. 'portico exec' gives clients the token: portico exec -- openstack --os-cloud ${name} server list`
      : `The token is in ${paths.secure} until it ends: openstack --os-cloud ${name} server list`
  return { changes, hints: [use, ...(yield* shadowed(paths.clouds))] } satisfies Plan
})

export const withoutOpenstack = Effect.fnUntraced(function* (options: Allowed & { readonly name: string }) {
  const paths = yield* pathsOf
  const wanted = cloud(options.name)
  const changes = [
    yield* unsetEntry(yield* untouched(paths.clouds), wanted, options),
    yield* unsetEntry(yield* untouched(paths.secure), wanted, options)
  ]
  return { changes, hints: [] } satisfies Plan
})
