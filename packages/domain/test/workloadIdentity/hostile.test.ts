import { assert, describe, it } from "@effect/vitest"
import { exchange } from "@portico/domain/workloadIdentity/exchange"
import { keySet, signingKeys } from "@portico/simulator/kubernetes/issuer"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Effect } from "effect"
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { callerOf } from "@portico/testing/tenants/caller"
import { audience, cluster, fetches, type Forged, forged, issuer, mapping, projectedToken } from "./cluster.ts"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

const day = 86_400
const hour = 3_600
const tolerance = 30

const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 })
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" })
const foreignJwk = { kty: "RSA", ...foreign.publicKey.export({ format: "jwk" }) }

const prepared = Effect.gen(function* () {
  const projectId = yield* tenantOf("standard")
  yield* cluster
  yield* mapping(projectId)
  return callerOf(projectId)
})

type Outcome = "accepted" | "subject_token_refused" | "issuer_unmapped"

const outcome = (caller: ReturnType<typeof callerOf>, subject_token: string) =>
  Effect.match(exchange(caller, { subject_token }), { onSuccess: () => "accepted", onFailure: (_) => _.code })

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Seconds from now on, or a claim as it is. */
type Claims = (now: number) => NonNullable<Forged["claims"]>

/** What the claims of a token that the cluster itself signed may hold, and what may not. */
const byClaims: Readonly<Record<string, readonly [claims: Claims, outcome: Outcome]>> = {
  "as the cluster writes it": [() => ({}), "accepted"],
  "an audience that is not in a list": [() => ({ aud: audience }), "accepted"],
  "ours among others": [() => ({ aud: ["vault", audience] }), "accepted"],
  "the API server's audience": [() => ({ aud: [issuer] }), "subject_token_refused"],
  "another audience": [() => ({ aud: ["vault"] }), "subject_token_refused"],
  "an audience that begins like ours": [() => ({ aud: [`${audience}.evil.example`] }), "subject_token_refused"],
  "an audience in capitals": [() => ({ aud: [audience.toUpperCase()] }), "subject_token_refused"],
  "an empty list of audiences": [() => ({ aud: [] }), "subject_token_refused"],
  "no audience": [() => ({ aud: null }), "subject_token_refused"],
  "no end": [() => ({ exp: null }), "subject_token_refused"],
  "an exp in text": [(now) => ({ exp: String(now + hour) }), "subject_token_refused"],
  "an end beyond all numbers": [() => ({ exp: 1e308 }), "subject_token_refused"],
  "over a moment ago, within the tolerance": [(now) => ({ iat: now - hour, exp: now - tolerance + 1 }), "accepted"],
  "over a moment ago, beyond it": [(now) => ({ iat: now - hour, exp: now - tolerance }), "subject_token_refused"],
  "no beginning": [() => ({ iat: null }), "subject_token_refused"],
  "an iat in text": [() => ({ iat: "today" }), "subject_token_refused"],
  "made in the future": [(now) => ({ iat: now + tolerance + 1 }), "subject_token_refused"],
  "a year long": [(now) => ({ exp: now + 365 * day }), "subject_token_refused"],
  "a year long, and made half a year ago": [
    (now) => ({ iat: now - 180 * day, exp: now + 185 * day }),
    "subject_token_refused"
  ],
  "as long as the mapping lets it be": [(now) => ({ exp: now + day }), "accepted"],
  "a second longer": [(now) => ({ exp: now + day + 1 }), "subject_token_refused"],
  "not valid yet": [(now) => ({ nbf: now + tolerance + 1 }), "subject_token_refused"],
  "no moment from which it is valid": [() => ({ nbf: null }), "accepted"],
  "no subject": [() => ({ sub: null }), "subject_token_refused"],
  "an empty subject": [() => ({ sub: "" }), "subject_token_refused"],
  "a list for a subject": [() => ({ sub: ["system:serviceaccount:ci:builder"] }), "subject_token_refused"],
  "a user": [() => ({ sub: "alice" }), "subject_token_refused"],
  "a node": [() => ({ sub: "system:node:node-1" }), "subject_token_refused"],
  "an account of another namespace": [() => ({ sub: "system:serviceaccount:prod:builder" }), "subject_token_refused"],
  "a namespace that begins like ours": [() => ({ sub: "system:serviceaccount:ci2:builder" }), "subject_token_refused"],
  "a part too many": [() => ({ sub: "system:serviceaccount:ci:builder:x" }), "subject_token_refused"],
  "a part too few": [() => ({ sub: "system:serviceaccount:ci" }), "subject_token_refused"],
  "an account without a name": [() => ({ sub: "system:serviceaccount:ci:" }), "subject_token_refused"],
  "letters that no account has": [() => ({ sub: "system:serviceaccount:ci:Builder" }), "subject_token_refused"],
  "a line too many": [() => ({ sub: "system:serviceaccount:ci:builder\n" }), "subject_token_refused"],
  "a wildcard for a name": [() => ({ sub: "system:serviceaccount:ci:*" }), "subject_token_refused"],
  "an issuer in a list": [() => ({ iss: [issuer] }), "subject_token_refused"],
  "no issuer": [() => ({ iss: null }), "subject_token_refused"],
  "an issuer in capitals": [() => ({ iss: issuer.toUpperCase() }), "issuer_unmapped"],
  "an issuer with a slash": [() => ({ iss: `${issuer}/` }), "issuer_unmapped"],
  "the claims of legacy secret tokens": [
    () => ({ iss: "kubernetes/serviceaccount", aud: null, exp: null, iat: null, nbf: null }),
    "issuer_unmapped"
  ]
}

describe("a token that the cluster signed, with", () => {
  for (const [what, [claims, expected]] of Object.entries(byClaims)) {
    it.effect(`${what}: ${expected}`, () =>
      Effect.gen(function* () {
        const caller = yield* prepared
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        assert.strictEqual(yield* outcome(caller, yield* forged({ claims: claims(now) })), expected)
        assert.strictEqual((yield* Memory).workloadTokens.size, expected === "accepted" ? 1 : 0)
      }).pipe(Effect.provide(Simulated))
    )
  }
})

/** A token with a header of the forger's, and what it is signed with. */
const bySignature: Readonly<Record<string, readonly [forgery: Forged, outcome: Outcome]>> = {
  "another key under the cluster's id": [{ key: foreign.privateKey }, "subject_token_refused"],
  "an id of no key": [{ header: { kid: "none" } }, "subject_token_refused"],
  "an id that is a path": [{ header: { kid: "../../../../dev/null" } }, "subject_token_refused"],
  "an id that is a query": [{ header: { kid: "' OR '1'='1" } }, "subject_token_refused"],
  "an id that every object has": [{ header: { kid: "__proto__" } }, "subject_token_refused"],
  "its own key in the header": [{ header: { jwk: foreignJwk }, key: foreign.privateKey }, "subject_token_refused"],
  "an address of its own keys": [
    { header: { jku: "https://evil.example/keys" }, key: foreign.privateKey },
    "subject_token_refused"
  ],
  "an address of its own certificate": [
    { header: { x5u: "https://evil.example/cert" }, key: foreign.privateKey },
    "subject_token_refused"
  ],
  "its own certificate": [{ header: { x5c: ["MIIB"] }, key: foreign.privateKey }, "subject_token_refused"],
  "headers that are not looked at, and the cluster's key": [
    { header: { jku: "https://evil.example/keys", x5u: "https://evil.example/cert", jwk: foreignJwk } },
    "accepted"
  ],
  "the cluster's key and another algorithm": [{ header: { alg: "RS512" } }, "subject_token_refused"],
  "the cluster's key and another padding": [{ header: { alg: "PS256" } }, "subject_token_refused"],
  "a curve under the cluster's id": [{ header: { alg: "ES256" }, key: curve.privateKey }, "subject_token_refused"],
  "an unknown critical header": [{ header: { crit: ["exp"], exp: 1 } }, "subject_token_refused"]
}

describe("a token with", () => {
  for (const [what, [forgery, expected]] of Object.entries(bySignature)) {
    it.effect(`${what}: ${expected}`, () =>
      Effect.gen(function* () {
        const caller = yield* prepared
        assert.strictEqual(yield* outcome(caller, yield* signed(forgery)), expected)
        const asked = (yield* (yield* SimulatedCloud).calls).filter((_) => _.path.includes("evil"))
        assert.deepStrictEqual(asked, [])
      }).pipe(Effect.provide(Simulated))
    )
  }

  /** A signer refuses to write a critical header that it does not know, so that it is written by hand. */
  const signed = Effect.fnUntraced(function* (forgery: Forged) {
    if (forgery.header?.crit === undefined) return yield* forged(forgery)
    const good = yield* forged()
    return [encoded({ alg: "RS256", ...forgery.header }), ...good.split(".").slice(1)].join(".")
  })

  for (const alg of ["RS384", "RS512", "PS256", "PS512"]) {
    it.effect(`the cluster's key without an algorithm, and ${alg}: refused`, () =>
      Effect.gen(function* () {
        const caller = yield* prepared
        const cloud = yield* SimulatedCloud
        const keys = keySet(cloud.world.kubernetes).keys.map(({ alg: _, ...key }) => key)
        const as = { status: 200, body: { keys } }
        const path = "/openid/v1/jwks"
        yield* cloud.fault({ service: "kubernetes", method: "GET", path, times: "always", when: "before", as })
        assert.strictEqual(yield* outcome(caller, yield* forged()), "accepted")
        assert.strictEqual(yield* outcome(caller, yield* forged({ header: { alg } })), "subject_token_refused")
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("no id, where there is one key: accepted; where there are two: refused", () =>
    Effect.gen(function* () {
      const caller = yield* prepared
      const { kubernetes } = (yield* SimulatedCloud).world
      const token = yield* forged({ unnamed: true })
      assert.strictEqual(yield* outcome(caller, token), "accepted")
      const second = { ...foreignJwk, kid: "second", alg: "RS256", use: "sig" }
      yield* (yield* SimulatedCloud).fault({
        service: "kubernetes",
        method: "GET",
        path: "/openid/v1/jwks",
        when: "before",
        as: { status: 200, body: { keys: [...keySet(kubernetes).keys, second] } }
      })
      const other = yield* tenantOf("discovery", "Globex")
      yield* mapping(other, { issuer: "https://cluster.globex.example" })
      const elsewhere = yield* forged({ unnamed: true, claims: { iss: "https://cluster.globex.example" } })
      assert.strictEqual(yield* outcome(callerOf(other), elsewhere), "subject_token_refused")
    }).pipe(Effect.provide(Simulated))
  )
})

describe("a token not signed by the cluster", () => {
  /** Made out of a good one: header, claims, signature. */
  type Damage = (header: string, claims: string, signature: string, publicKey: string) => string
  const damages: Readonly<Record<string, Damage>> = {
    "white space alone": () => " ",
    "a word": () => "token",
    dots: () => "..",
    "a part missing": (header, claims) => `${header}.${claims}`,
    "an empty signature": (header, claims) => `${header}.${claims}.`,
    "a part too many": (header, claims, signature) => `${header}.${claims}.${signature}.${signature}`,
    "five parts, as of an encrypted one": (header, claims, signature) =>
      [header, claims, signature, signature, signature].join("."),
    "another signature": (header, claims, signature) =>
      `${header}.${claims}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    "other claims under the signature": (header, claims, signature) =>
      [header, changed(claims, { sub: "system:serviceaccount:ci:other" }), signature].join("."),
    "the algorithm none": (_, claims) => `${encoded({ alg: "none" })}.${claims}.`,
    "the algorithm None": (_, claims, signature) => `${encoded({ alg: "None" })}.${claims}.${signature}`,
    "no algorithm": (_, claims, signature) => `${encoded({})}.${claims}.${signature}`,
    "the algorithm of a list": (_, claims, signature) => `${encoded({ alg: ["RS256"] })}.${claims}.${signature}`,
    "a header that is not an object": (_, claims, signature) => `${encoded("RS256")}.${claims}.${signature}`,
    "claims that are not an object": (header, _, signature) => `${header}.${encoded([])}.${signature}`,
    "claims that are not JSON": (header, _, signature) =>
      `${header}.${Buffer.from('{"iss":').toString("base64url")}.${signature}`,
    "a payload that is not encoded": (_, claims, signature) =>
      `${encoded({ alg: "RS256", b64: false, crit: ["b64"] })}.${claims}.${signature}`,
    "16 KiB of anything": () => "x".repeat(16_384),
    "16 KiB of dots": () => ".".repeat(16_384),
    "16 KiB of claims": (header, claims, signature) =>
      [header, changed(claims, { more: "x".repeat(11_000) }), signature].join("."),
    "a hundred issuers, of which the last is ours": (header, claims, signature) =>
      [
        header,
        Buffer.from(
          `{${'"iss":"https://evil.example",'.repeat(100)}${Buffer.from(claims, "base64url").toString().slice(1)}`
        ).toString("base64url"),
        signature
      ].join(".")
  }

  const changed = (claims: string, change: object): string =>
    encoded({ ...JSON.parse(Buffer.from(claims, "base64url").toString()), ...change })

  for (const [what, damage] of Object.entries(damages)) {
    it.effect(`${what}: refused with the constant message`, () =>
      Effect.gen(function* () {
        const caller = yield* prepared
        const { kubernetes } = (yield* SimulatedCloud).world
        const [header = "", claims = "", signature = ""] = (yield* projectedToken()).split(".")
        const pem = String(signingKeys(kubernetes)[0]?.publicKey.export({ format: "pem", type: "spki" }))
        const refusal = yield* Effect.flip(exchange(caller, { subject_token: damage(header, claims, signature, pem) }))
        assert.deepStrictEqual(
          [refusal._tag, refusal.code, refusal.detail],
          ["Unauthorized", "subject_token_refused", "The subject token is not accepted"]
        )
        assert.isAtMost(yield* fetches, 1)
      }).pipe(Effect.provide(Simulated))
    )
  }

  for (const form of ["pem", "der", "jwk"] as const) {
    it.effect(`a keyed hash under the public key (${form}): refused`, () =>
      Effect.gen(function* () {
        const caller = yield* prepared
        const { kubernetes } = (yield* SimulatedCloud).world
        const publicKey = createPublicKey(signingKeys(kubernetes)[0]!.privateKey)
        const bytes =
          form === "jwk"
            ? Buffer.from(JSON.stringify(keySet(kubernetes).keys[0]))
            : Buffer.from(
                form === "pem"
                  ? publicKey.export({ format: "pem", type: "spki" })
                  : publicKey.export({ format: "der", type: "spki" })
              )
        const token = yield* forged({ header: { alg: "HS256" }, key: bytes })
        assert.strictEqual(yield* outcome(caller, token), "subject_token_refused")
      }).pipe(Effect.provide(Simulated))
    )
  }
})
