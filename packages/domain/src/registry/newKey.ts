import type { NewRegistryKey } from "@portico/store/RegistryKeys"
import { DateTime, Effect } from "effect"
import { createHash, generateKeyPair, type KeyObject } from "node:crypto"
import { promisify } from "node:util"
import type { Seal } from "../seal.ts"

const generate = promisify(generateKeyPair)

/** A key that signs from then on, its private half sealed. */
export const newKey = (seal: Seal, signsFrom: number): Effect.Effect<NewRegistryKey> =>
  Effect.promise(async () => {
    const pair = await generate("rsa", { modulusLength: 2048 })
    const { e = "", n = "" } = pair.publicKey.export({ format: "jwk" })
    const kid = keyIdOf(pair.publicKey)
    // Certificates are needed once in three months, so their library is no part of every start.
    const { certificateOf } = await import("./certificate.ts")
    const x5c = [await certificateOf(pair, signsFrom)]
    return {
      kid,
      public_key: { kty: "RSA", n, e, kid, alg: "RS256", use: "sig", x5c },
      sealed: seal.close(kid, pair.privateKey.export({ format: "der", type: "pkcs8" })),
      signs_from: DateTime.makeUnsafe(signsFrom)
    }
  })

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/**
 * The id that registries before distribution v3 derive for a key that they have
 * as a certificate (`ABCD:EFGH:…`): 240 bits of the SHA-256 of the public key
 * (DER), in base32. Later ones read the id from the key set, whatever it is.
 */
const keyIdOf = (publicKey: KeyObject): string => {
  const digest = createHash("sha256")
    .update(publicKey.export({ format: "der", type: "spki" }))
    .digest("hex")
  const digits = BigInt(`0x${digest.slice(0, 60)}`)
    .toString(32)
    .padStart(48, "0")
  const letters = [...digits].map((_) => alphabet[Number.parseInt(_, 32)]).join("")
  return (letters.match(/.{4}/g) ?? []).join(":")
}
