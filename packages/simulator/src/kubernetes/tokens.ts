import { randomUUID, verify } from "node:crypto"
import { Option, Schema } from "effect"
import { type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { signedJwt } from "../rsaKeys.ts"
import { signingKeys } from "./issuer.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { find } from "./store.ts"

/** A token that is to be signed; moments in seconds since the epoch. */
export interface Wanted {
  readonly account: Thing
  readonly audiences: ReadonlyArray<string>
  readonly from: number
  readonly until: number
  /** The pod or the secret that it ends with. */
  readonly bound: Thing | undefined
  /** From when on its use is warned of, when it lasts longer than it should. */
  readonly warnAfter: number | undefined
}

/** A token as the `token` sub-resource mints it. */
export const mint = (state: KubernetesState, wanted: Wanted): string => {
  const { account, audiences, from, until } = wanted
  const { name, namespace = "", uid } = account.metadata
  const claims = {
    aud: audiences,
    exp: until,
    iat: from,
    iss: state.tokenIssuer.issuer,
    jti: randomUUID(),
    "kubernetes.io": { namespace, ...boundTo(state, wanted.bound), serviceaccount: { name, uid }, ...warning(wanted) },
    nbf: from,
    sub: `system:serviceaccount:${namespace}:${name}`
  }
  const [key] = signingKeys(state)
  if (key === undefined) throw new Error("the API server has no signing key")
  return signedJwt(key, claims)
}

const warning = ({ warnAfter }: Wanted) => (warnAfter === undefined ? {} : { warnafter: warnAfter })

/** A token of a pod names its node too. */
const boundTo = (state: KubernetesState, bound: Thing | undefined): JsonObject => {
  if (bound === undefined) return {}
  const { name, uid } = bound.metadata
  if (bound.kind !== "Pod") return { secret: { name, uid } }
  const node = find(state, "nodes", "", stringAt(objectAt(bound, "spec"), "nodeName") ?? "")
  const placed = node && { node: { name: node.metadata.name, uid: node.metadata.uid } }
  return { ...placed, pod: { name, uid } }
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const decodeClaims = (part: string) => Option.getOrUndefined(decodeJson(Buffer.from(part, "base64url").toString()))

/** The account that a token speaks for: while it lasts, and while the account exists that it was minted for, and what it is bound to. */
export const accountOfToken = (
  state: KubernetesState,
  token: string,
  now: number
): { readonly namespace: string; readonly name: string } | undefined => {
  const [header = "", body = "", signature = ""] = token.split(".")
  const claims = decodeClaims(body)
  const kid = stringAt(decodeClaims(header) ?? {}, "kid")
  const key = signingKeys(state).find((_) => _.kid === kid)
  if (claims === undefined || key === undefined) return undefined
  const bytes = Buffer.from(`${header}.${body}`)
  const signatureHolds = verify("sha256", bytes, key.publicKey, Buffer.from(signature, "base64url"))
  return signatureHolds && isForUs(state, claims, now) ? accountOf(state, claims) : undefined
}

const isForUs = ({ tokenIssuer: { issuer } }: KubernetesState, claims: JsonObject, now: number): boolean =>
  claims["iss"] === issuer &&
  typeof claims["exp"] === "number" &&
  claims["exp"] * 1000 > now &&
  stringsAt(claims, "aud")?.includes(issuer) === true

const accountOf = (state: KubernetesState, claims: JsonObject) => {
  const bound = objectAt(claims, "kubernetes.io")
  const namespace = stringAt(bound, "namespace") ?? ""
  const still = (resource: string, { name, uid }: JsonObject) => {
    const found = find(state, resource, namespace, String(name))
    return found !== undefined && found.metadata.uid === uid ? found : undefined
  }
  const account = still("serviceaccounts", objectAt(bound, "serviceaccount"))
  const ended =
    (bound["pod"] !== undefined && still("pods", objectAt(bound, "pod")) === undefined) ||
    (bound["secret"] !== undefined && still("secrets", objectAt(bound, "secret")) === undefined)
  return account !== undefined && !ended ? { namespace, name: account.metadata.name } : undefined
}
