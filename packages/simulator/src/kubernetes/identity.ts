import { Result } from "effect"
import { fixtures } from "../Fixtures.ts"
import type { Answer, Incoming, Step } from "../Wire.ts"
import { builtInKind, type Kind } from "./kinds.ts"
import { allows, type Identity, type ResourceAction } from "./rbac.ts"
import type { KubernetesState } from "./state.ts"
import { forbidden, plainText, refuse } from "./status.ts"
import { find } from "./store.ts"
import { accountOfToken } from "./tokens.ts"

const unauthorized = refuse(401, "Unauthorized", "Unauthorized")

/** A service account by its user name, with its implied groups. */
const serviceAccount = (namespace: string, name: string, uid = ""): Identity => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  uid,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  extra: {}
})

/** The only paths for requests without a token; roles decide whether they may read them. */
const anonymousPaths: ReadonlySet<string> = new Set(["/.well-known/openid-configuration", "/openid/v1/jwks"])

const anonymous: Identity = { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} }

/**
 * The identity of a request: the token's account, or the impersonated one. The API server is configured
 * (`anonymous.conditions`) so that anonymous callers may read only what verifiers of its tokens need.
 */
export const identify = (incoming: Incoming): Step<Identity> => {
  const authorization = incoming.headers["authorization"]
  if (authorization === undefined && anonymousPaths.has(incoming.path)) return Result.succeed(anonymous)
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
  const bearer = token === undefined ? undefined : bearerOf(incoming, token)
  return bearer === undefined ? unauthorized : impersonated(incoming, bearer)
}

const bearerOf = ({ now, world }: Incoming, token: string): Identity | undefined => {
  const { administratorToken, namespace, serviceAccount: name, token: gateway } = fixtures.kubernetes
  if (token === administratorToken) {
    return { name: "kubernetes-admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: {} }
  }
  const account = token === gateway ? { namespace, name } : accountOfToken(world.kubernetes, token, now)
  if (account === undefined) return undefined
  const uid = find(world.kubernetes, "serviceaccounts", account.namespace, account.name)?.metadata.uid
  return uid === undefined ? undefined : serviceAccount(account.namespace, account.name, uid)
}

/** A repeated header arrives as one value, joined with commas. */
const several = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined || value === "" ? [] : value.split(", ")

const extraPrefix = "impersonate-extra-"

const impersonated = (incoming: Incoming, bearer: Identity): Step<Identity> => {
  const { headers } = incoming
  const user = headers["impersonate-user"] ?? ""
  const uid = headers["impersonate-uid"] ?? ""
  const groups = several(headers["impersonate-group"])
  const extra = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(extraPrefix))
      .map(([name, value]) => [decodeURIComponent(name.slice(extraPrefix.length)), several(value)])
  )
  const asked = requestsOf({ name: user, uid, groups, extra })
  if (asked.length === 0) return Result.succeed(bearer)
  if (user === "") return Result.fail(withoutUser(incoming, asked))
  return Result.map(mayBe(incoming.world.kubernetes, bearer, asked), () => ({
    name: user,
    uid,
    groups: completed(user, groups),
    extra
  }))
}

/** One permission that impersonation needs. */
type Impersonation = Omit<ResourceAction, "verb"> & { readonly kind: string }

const account = /^system:serviceaccount:([^:]+):([^:]+)$/
const authentication = "authentication.k8s.io"

const requestsOf = ({ extra, groups, name, uid }: Identity): ReadonlyArray<Impersonation> => {
  const [, namespace, accountName] = account.exec(name) ?? []
  const base = { group: "", subresource: "", namespace: "" }
  const user: Impersonation =
    namespace !== undefined && accountName !== undefined
      ? { ...base, kind: "ServiceAccount", resource: "serviceaccounts", namespace, name: accountName }
      : { ...base, kind: "User", resource: "users", name }
  return [
    ...(name === "" ? [] : [user]),
    ...groups.map((_) => ({ ...base, kind: "Group", resource: "groups", name: _ })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({
        ...base,
        group: authentication,
        kind: "UserExtra",
        resource: "userextras",
        subresource: key,
        name: value
      }))
    ),
    ...(uid === "" ? [] : [{ ...base, group: authentication, kind: "UID", resource: "uids", name: uid }])
  ]
}

const mayBe = (state: KubernetesState, bearer: Identity, asked: ReadonlyArray<Impersonation>): Step<void> => {
  for (const { kind: _, ...action } of asked) {
    const decision = allows(state, bearer, { verb: "impersonate", ...action })
    if (!decision.allowed) {
      const kind: Kind = { ...builtInKind("serviceaccounts"), group: action.group, plural: action.resource }
      return forbidden(kind, action.name, decision.reason)
    }
  }
  return Result.void
}

/** As Go prints the struct: kind, namespace, name, uid, version, resource version, field path. */
const withoutUser = ({ path }: Incoming, asked: ReadonlyArray<Impersonation>): Answer => {
  const all = asked.map((_) => {
    const version = _.group === "" ? "" : `${_.group}/v1`
    return `{${[_.kind, _.namespace, _.name, "", version, "", _.subresource].join(" ")}}`
  })
  return plainText(500, `Internal Server Error: "${path}": requested [${all.join(" ")}] without impersonating a user\n`)
}

/** A service account gets its own groups unless the request names others; every user is in `system:authenticated`. */
const completed = (user: string, groups: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [, namespace, name] = account.exec(user) ?? []
  const own =
    groups.length === 0 && namespace !== undefined && name !== undefined
      ? serviceAccount(namespace, name).groups.filter((_) => _ !== "system:authenticated")
      : groups
  if (user === "system:anonymous") return [...own, "system:unauthenticated"]
  const named = own.some((_) => _ === "system:authenticated" || _ === "system:unauthenticated")
  return named ? own : [...own, "system:authenticated"]
}
