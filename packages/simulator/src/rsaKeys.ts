import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"

/** An RSA key as JSON (RFC 7518, section 6.3), so that it can be part of the saved world. */
export interface PrivateJwk {
  readonly kty: "RSA"
  readonly n: string
  readonly e: string
  readonly d: string
  readonly p: string
  readonly q: string
  readonly dp: string
  readonly dq: string
  readonly qi: string
}

export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const parsed = new WeakMap<PrivateJwk, SigningKey>()

export const signingKey = (jwk: PrivateJwk): SigningKey => {
  const known = parsed.get(jwk)
  if (known !== undefined) return known
  const privateKey = createPrivateKey({ format: "jwk", key: { ...jwk } })
  const publicKey = createPublicKey(privateKey)
  const kid = createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("base64url")
  const key = { kid, privateKey, publicKey }
  parsed.set(jwk, key)
  return key
}

export const newPrivateJwk = (): PrivateJwk => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const { d = "", dp = "", dq = "", e = "", n = "", p = "", q = "", qi = "" } = privateKey.export({ format: "jwk" })
  return { kty: "RSA", n, e, d, p, q, dp, dq, qi }
}

/** The JWKS for verifiers. */
export const publishedKeys = (keys: ReadonlyArray<SigningKey>) => ({
  keys: keys.map(({ kid, publicKey }) => {
    const { e, n } = publicKey.export({ format: "jwk" })
    return { use: "sig", kty: "RSA", kid, alg: "RS256", n, e }
  })
})

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A JWT that the key signs with RS256. */
export const signedJwt = ({ kid, privateKey }: SigningKey, claims: object): string => {
  const signed = `${encoded({ alg: "RS256", kid })}.${encoded(claims)}`
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`
}
