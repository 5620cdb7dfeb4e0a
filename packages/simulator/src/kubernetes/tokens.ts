import { createHash, createPrivateKey, createPublicKey, randomUUID, sign, verify } from "node:crypto"
import { Option, Schema } from "effect"
import { objectAt, stringAt, stringsAt } from "../Json.ts"
import type { JsonObject, KubernetesState, Thing } from "./state.ts"
import { find } from "./store.ts"

export const issuer = "https://kubernetes.default.svc.cluster.local"

/** Signs the tokens of service accounts; a throw-away key, fixed like every secret of the simulated cloud. */
const key = createPrivateKey({
  format: "jwk",
  key: {
    kty: "EC",
    crv: "P-256",
    x: "ab3XLggM8idmqFwHnfnqLkG1NAgBSQIyjTtnJk-EKzo",
    y: "ezxN5R73WSs-4whq8Zqf5gFfCashILqj8nkYkDvm5Y4",
    d: "3cQs-HFXv__DOwQn7CYit-LR1mIfxRfm5l4mapfPJjY"
  }
})

const publicKey = createPublicKey(key)
const publicJwk = publicKey.export({ format: "jwk" })

const keyId = createHash("sha256")
  .update(publicKey.export({ format: "der", type: "spki" }))
  .digest("base64url")

/** What a verifier of the cluster's tokens fetches. */
export const keySet = { keys: [{ use: "sig", ...publicJwk, kid: keyId, alg: "ES256" }] }

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token as the `token` sub-resource mints it; times in seconds. */
export const mint = (account: Thing, audiences: ReadonlyArray<string>, now: number, expires: number): string => {
  const { name, namespace = "", uid } = account.metadata
  const seconds = Math.floor(now / 1000)
  const claims = {
    aud: audiences,
    exp: expires,
    iat: seconds,
    iss: issuer,
    jti: randomUUID(),
    "kubernetes.io": { namespace, serviceaccount: { name, uid } },
    nbf: seconds,
    sub: `system:serviceaccount:${namespace}:${name}`
  }
  const signed = `${encoded({ alg: "ES256", kid: keyId })}.${encoded(claims)}`
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" })
  return `${signed}.${signature.toString("base64url")}`
}

const decodeClaims = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The account that a token speaks for: while it lasts, and while the account exists that it was minted for. */
export const accountOfToken = (
  state: KubernetesState,
  token: string,
  now: number
): { readonly namespace: string; readonly name: string } | undefined => {
  const [header = "", body = "", signature = ""] = token.split(".")
  const claims = Option.getOrUndefined(decodeClaims(Buffer.from(body, "base64url").toString()))
  if (claims === undefined) return undefined
  const genuine = verify(
    "sha256",
    Buffer.from(`${header}.${body}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url")
  )
  return genuine && isForUs(claims, now) ? accountOf(state, claims) : undefined
}

const isForUs = (claims: JsonObject, now: number): boolean =>
  typeof claims["exp"] === "number" && claims["exp"] * 1000 > now && stringsAt(claims, "aud")?.includes(issuer) === true

const accountOf = (state: KubernetesState, claims: JsonObject) => {
  const bound = objectAt(claims, "kubernetes.io")
  const { name, uid } = objectAt(bound, "serviceaccount")
  const namespace = stringAt(bound, "namespace") ?? ""
  const found = find(state, "serviceaccounts", namespace, String(name))
  return found !== undefined && found.metadata.uid === uid ? { namespace, name: found.metadata.name } : undefined
}
