import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { X509Certificate } from "node:crypto"
import { copyFileSync, readFileSync } from "node:fs"
import { request } from "node:https"
import { getCACertificates, type PeerCertificate, setDefaultCACertificates, TLSSocket } from "node:tls"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { clientInfo } from "../../agent/wire.ts"
import { certificateIn, terminator } from "../../harness/Tls.ts"
import { folder, isInstalled, named } from "../../parts/parts.ts"
import { eventually } from "../children.ts"
import { fleetOf, lightLoad } from "../fleet.ts"
import { Cloud, type Gateway, story, tenantOf } from "../harness.ts"
import { judgedAnew, lab, newKey, only, readiness } from "./lab.ts"

const isHere = isInstalled("openssl", "version")

/** A certificate that is its own authority, as PEM and by its fingerprint. */
const certificate = Effect.gen(function* () {
  const files = yield* certificateIn((yield* folder).at)
  const ca = readFileSync(files.cert, "utf8")
  return { ...files, ca, fingerprint: new X509Certificate(ca).fingerprint256 }
})

interface Sent {
  readonly method?: string
  readonly token: string
  readonly body?: unknown
}

/** A call on a connection of its own, and the certificate that it met. */
const onNewConnection = (url: string, trusted: ReadonlyArray<string>, { body, method = "GET", token }: Sent) =>
  Effect.callback<{ readonly status: number; readonly text: string; readonly fingerprint: string }, Error>((resume) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    const call = request(url, { method, headers, ca: [...trusted], agent: false }, (answer) => {
      const peer: Partial<PeerCertificate> =
        answer.socket instanceof TLSSocket ? answer.socket.getPeerCertificate() : {}
      let text = ""
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      answer.on("end", () =>
        resume(Effect.succeed({ status: answer.statusCode ?? 0, text, fingerprint: peer.fingerprint256 ?? "" }))
      )
    })
    call.on("error", (error) => resume(Effect.fail(error)))
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** As the clients of a story call that were told of an authority: for `fetch` there is no other way. */
const trustedByAll = (ca: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = getCACertificates("default")
      setDefaultCACertificates([...before, ca])
      return before
    }),
    (before) => Effect.sync(() => setDefaultCACertificates(before))
  )

story.skipIf(!isHere)(
  named("the certificates of all planes are replaced while clients connect, and no call fails", "openssl", isHere),
  () =>
    Effect.gen(function* () {
      const [former, next] = [yield* certificate, yield* certificate]
      const { at } = yield* folder
      const files = { cert: at("tls.crt"), key: at("tls.key") }
      const put = (what: "cert" | "key", from: typeof former) =>
        Effect.sync(() => copyFileSync(from[what], files[what]))
      yield* put("cert", former)
      yield* put("key", former)
      yield* trustedByAll(former.ca)

      const settings = Object.fromEntries(
        ["CUSTOMER", "OPERATOR", "AGENT"].flatMap((_) => [
          [`${_}_TLS_CERT_FILE`, files.cert],
          [`${_}_TLS_KEY_FILE`, files.key]
        ])
      )
      const fleet = yield* fleetOf({ ...lab, ...settings })
      const { token } = yield* tenantOf(only(fleet.members()), "Acme GmbH")
      const initialize = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
      }
      const planes: Readonly<Record<string, (_: Gateway) => readonly [string, Sent]>> = {
        customer: (_) => [`${_.url}/v1/whoami`, { token }],
        operator: (_) => [`${_.operatorUrl}/v1/tenants`, { token: fixtures.idp.operatorToken }],
        agent: (_) => [_.agentUrl, { token, method: "POST", body: initialize }]
      }

      let trusted: ReadonlyArray<string> = [former.ca, next.ca]
      /** The newest certificate of each plane. */
      const met = new Map<string, string>()
      const load = yield* lightLoad(
        fleet,
        Object.entries(planes).map(([name, call]) => ({
          name,
          call: (gateway) =>
            Effect.map(Effect.orDie(onNewConnection(...insert(call(gateway), trusted))), (answer) => {
              met.set(name, answer.fingerprint)
              return { status: answer.status, body: answer.status < 400 ? {} : { detail: answer.text } }
            })
        }))
      )
      const reaches = (fingerprint: string) =>
        eventually(Effect.sync(() => assert.deepStrictEqual([...new Set(met.values())], [fingerprint])))
      yield* load.isFine("before")
      yield* reaches(former.fingerprint)

      // One file comes after the other: what does not belong together is not used.
      yield* put("cert", next)
      yield* load.isFine("the certificate is new, and the key is not")
      yield* put("key", next)
      yield* reaches(next.fingerprint)
      yield* load.isFine("the new one is in use")

      trusted = [next.ca]
      yield* load.isFine("the former one is not trusted any more")
    })
)

story.skipIf(!isHere)(
  named("the authorities of the systems behind the gateway are replaced, and no call fails", "openssl", isHere),
  () =>
    Effect.gen(function* () {
      const { port: cloud } = new URL((yield* Cloud).url)
      const { ca: former, port, present } = yield* terminator((yield* folder).path, Number(cloud))
      const next = yield* certificate
      // What looks records up speaks no TLS.
      const { DNS_RESOLVERS: _, ...behindTls } = gatewaySettings(`https://127.0.0.1:${port}`)
      const { write } = yield* folder
      const trusting = (...authorities: ReadonlyArray<string>) => {
        const file = write(
          `${authorities.length}-${newKey()}.pem`,
          authorities.map((_) => readFileSync(_, "utf8")).join("")
        )
        return { ...lab, ...behindTls, UPSTREAM_CA_FILE: file, KUBERNETES_CA_FILE: file }
      }
      const fleet = yield* fleetOf(trusting(former))
      const { token } = yield* tenantOf(only(fleet.members()), "Acme GmbH")
      const load = yield* lightLoad(fleet, [
        { name: "readiness", call: readiness },
        { name: "whoami", call: (_) => _.whoami(token) },
        { name: "servers", call: (_) => _.customer(token, "GET", "/v1/iaas/compute/servers") },
        { name: "buckets", call: (_) => _.customer(token, "GET", "/v1/object-storage/buckets") },
        { name: "cluster", call: (_) => _.customer(token, "GET", "/v1/kubernetes/version") },
        { name: "invoices", call: (_) => _.customer(token, "GET", "/v1/invoices") }
      ])
      yield* load.isFine("before")

      yield* fleet.roll(trusting(former, next.cert))
      yield* load.isFine("both are trusted")

      yield* present(next)
      // Connections of before stay as they were; this replica begins with new ones.
      yield* fleet.roll(trusting(former, next.cert))
      yield* judgedAnew(fleet)
      yield* load.isFine("the new one is in use")

      yield* fleet.roll(trusting(next.cert))
      yield* judgedAnew(fleet)
      yield* load.isFine("the former one is not trusted any more")
    })
)

const insert = ([url, sent]: readonly [string, Sent], trusted: ReadonlyArray<string>) => [url, trusted, sent] as const
