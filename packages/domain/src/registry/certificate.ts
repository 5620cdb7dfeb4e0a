// The library registers its algorithms by decorators, which need this.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata"
import { X509CertificateGenerator } from "@peculiar/x509"
import { DateTime, Duration } from "effect"
import type { KeyObject } from "node:crypto"

const rs256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const

/** Registries take the key from it and do not look at its end. */
const lifetime = Duration.toMillis(Duration.days(3650))

/**
 * A certificate that a signing key has signed for itself, DER in base64 as
 * `x5c` has it (RFC 7517): registries before distribution v3 read keys only
 * from certificates.
 */
export const certificateOf = async (
  pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  signsFrom: number
): Promise<string> => {
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=portico registry tokens",
    notBefore: DateTime.toDateUtc(DateTime.makeUnsafe(signsFrom)),
    notAfter: DateTime.toDateUtc(DateTime.makeUnsafe(signsFrom + lifetime)),
    signingAlgorithm: rs256,
    keys: {
      privateKey: await imported("pkcs8", pair.privateKey.export({ format: "der", type: "pkcs8" }), "sign"),
      publicKey: await imported("spki", pair.publicKey.export({ format: "der", type: "spki" }), "verify")
    }
  })
  return Buffer.from(certificate.rawData).toString("base64")
}

const imported = (format: "pkcs8" | "spki", der: Buffer, usage: "sign" | "verify") =>
  crypto.subtle.importKey(format, new Uint8Array(der), rs256, format === "spki", [usage])
