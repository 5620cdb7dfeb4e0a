// The library registers its algorithms by decorators, which need this.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata"
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator
} from "@peculiar/x509"
import { Clock, Config, DateTime, Duration, Effect, Option, Schedule } from "effect"
import { randomBytes, X509Certificate } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createSecureContext } from "node:tls"
import { CannotStart } from "../launch.ts"

/** The files of the demo's certificate, PEM. */
export interface CertificateFiles {
  /** The authority, which clients have to trust. */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** The names under which a demo is reached. */
const names = { dns: ["localhost"], ip: ["127.0.0.1", "::1"] } as const

/** Below the 398 days that browsers accept of a server. */
const lifetime = Duration.days(397)
const renewedBefore = Duration.days(30)

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/**
 * With `PORTICO_TLS=true` the planes of `npm start` speak TLS, with a certificate for this machine of an authority
 * that signs nothing else: its key is never written. Both are made at the first start, and anew when less than 30 days
 * are left or a file cannot be used.
 */
export const demoCertificate = Effect.fnUntraced(function* (dataDir: string) {
  const flag = yield* Config.option(Config.Boolean("PORTICO_TLS"))
  if (!Option.getOrElse(flag, () => false)) return undefined
  const folder = join(dataDir, "tls")
  const files = { ca: join(folder, "ca.pem"), cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }
  yield* ensured(folder, files)
  // A process that runs for longer than the certificate renews it too; the planes read the files again by themselves.
  yield* Effect.forkScoped(
    Effect.repeat(
      Effect.ignore(ensured(folder, files), { log: "Error", message: "the certificates could not be renewed" }),
      Schedule.spaced("12 hours")
    )
  )
  return files
})

/** Makes the files, unless they are good for long enough. */
export const ensured = Effect.fnUntraced(
  function* (folder: string, files: CertificateFiles) {
    const now = yield* Clock.currentTimeMillis
    if (yield* isGood(files, now)) return
    const { ca, cert, key } = yield* Effect.tryPromise(() => made(now))
    yield* Effect.tryPromise(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      for (const [file, text] of [
        [files.key, key],
        [files.cert, cert],
        [files.ca, ca]
      ] as const) {
        // What an earlier start left, and whatever it is a link to, keeps its mode.
        await rm(`${file}.draft`, { force: true })
        await writeFile(`${file}.draft`, text, { mode: 0o600, flag: "wx" })
        await rename(`${file}.draft`, file)
      }
    })
  },
  Effect.mapError(
    ({ cause }) =>
      new CannotStart({
        message: `The certificate for PORTICO_TLS cannot be made: ${cause instanceof Error ? cause.message : String(cause)}.`
      })
  )
)

/** Whether the three files belong together, are for every name, and last for long enough. */
const isGood = (files: CertificateFiles, now: number): Effect.Effect<boolean> =>
  Effect.tryPromise(async () => {
    const [ca, cert, key] = await Promise.all([files.ca, files.cert, files.key].map((_) => readFile(_, "utf8")))
    if (ca === undefined || cert === undefined || key === undefined) return false
    createSecureContext({ cert, key })
    const [authority, server] = [new X509Certificate(ca), new X509Certificate(cert)]
    return (
      server.verify(authority.publicKey) &&
      names.dns.every((_) => server.checkHost(_) !== undefined) &&
      names.ip.every((_) => server.checkIP(_) !== undefined) &&
      [authority, server].every((_) => Date.parse(_.validTo) - now > Duration.toMillis(renewedBefore))
    )
  }).pipe(Effect.orElseSucceed(() => false))

const serialNumber = (): string => `00${randomBytes(15).toString("hex")}`

const made = async (now: number) => {
  const [authority, server] = await Promise.all([newKeys(), newKeys()])
  const issuer = "CN=Portico demo authority, O=Portico"
  const common = {
    // The clock of a client may be a little behind.
    notBefore: DateTime.toDateUtc(DateTime.makeUnsafe(now - Duration.toMillis(Duration.hours(1)))),
    notAfter: DateTime.toDateUtc(DateTime.makeUnsafe(now + Duration.toMillis(lifetime))),
    signingAlgorithm: ecdsa
  }
  const ca = await X509CertificateGenerator.create({
    ...common,
    serialNumber: serialNumber(),
    subject: issuer,
    issuer,
    publicKey: authority.publicKey,
    signingKey: authority.privateKey,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(authority.publicKey)
    ]
  })
  const cert = await X509CertificateGenerator.create({
    ...common,
    serialNumber: serialNumber(),
    subject: "CN=localhost, O=Portico",
    issuer,
    publicKey: server.publicKey,
    signingKey: authority.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: "dns", value }) as const),
        ...names.ip.map((value) => ({ type: "ip", value }) as const)
      ]),
      await SubjectKeyIdentifierExtension.create(server.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey)
    ]
  })
  const key = await crypto.subtle.exportKey("pkcs8", server.privateKey)
  return {
    ca: `${ca.toString("pem")}\n`,
    cert: `${cert.toString("pem")}\n`,
    key: `${PemConverter.encode(key, "PRIVATE KEY")}\n`
  }
}

const newKeys = () => crypto.subtle.generateKey(ecdsa, true, ["sign", "verify"])
