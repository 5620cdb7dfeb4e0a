import { SignatureV4 } from "@smithy/signature-v4"
import { createHash } from "node:crypto"
import { queryOf, sendablePath } from "./paths.ts"
import { type Signing, signatureOf } from "./signature.ts"

/**
 * Request headers with which an uploader would choose more than the content:
 * another source, and with it what the key's user can read; the access; the
 * storage class, encryption or lock; a redirect. RGW checks only the headers
 * that the signature names, so that all others could be added. These are named
 * and have no line in the signed text: RGW leaves out the line of a header that
 * is absent, so a request with one of them has another signature.
 */
const absent = [
  "x-amz-acl",
  "x-amz-copy-source",
  "x-amz-copy-source-range",
  "x-amz-grant-full-control",
  "x-amz-grant-read",
  "x-amz-grant-read-acp",
  "x-amz-grant-write",
  "x-amz-grant-write-acp",
  "x-amz-object-lock-legal-hold",
  "x-amz-object-lock-mode",
  "x-amz-object-lock-retain-until-date",
  "x-amz-security-token",
  "x-amz-server-side-encryption",
  "x-amz-server-side-encryption-aws-kms-key-id",
  "x-amz-server-side-encryption-customer-algorithm",
  "x-amz-server-side-encryption-customer-key",
  "x-amz-server-side-encryption-customer-key-md5",
  "x-amz-storage-class",
  "x-amz-tagging",
  "x-amz-website-redirect-location"
] as const

const algorithm = "AWS4-HMAC-SHA256"

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/**
 * A URL with which anyone can make one PUT (Signature Version 4 in the query).
 * The SDK's presigner signs only headers that are there, so the signed text is
 * written here, and the SDK signs it.
 *
 * @param options.path percent-encoded, as it is signed
 * @param options.headers lower case; the request must have them exactly so
 * @param options.signing its date has whole seconds
 */
export const uploadUrl = async ({
  headers,
  origin,
  path,
  seconds,
  signing
}: {
  readonly origin: URL
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
  readonly signing: Signing
}): Promise<string> => {
  const { key, region, signingDate } = signing
  const time = signingDate.toISOString().replaceAll(/[-:]|\.\d{3}/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const signed = { ...headers, host: origin.host }
  const names = [...Object.keys(signed), ...absent].toSorted(byText).join(";")
  // In the order of their names, as the signed text wants them.
  const query = queryOf({
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${key.accessKey}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(seconds),
    "X-Amz-SignedHeaders": names
  })
  const lines = Object.entries(signed)
    .toSorted(([a], [b]) => byText(a, b))
    .map(([name, value]) => `${name}:${value}\n`)
  const request = ["PUT", path, query, lines.join(""), names, "UNSIGNED-PAYLOAD"].join("\n")
  const text = [algorithm, time, scope, createHash("sha256").update(request).digest("hex")].join("\n")
  const signature = await new SignatureV4({ service: "s3", ...signatureOf({ key, region }) }).sign(text, {
    signingDate
  })
  return `${origin.origin}${sendablePath(path)}?${query}&X-Amz-Signature=${signature}`
}
