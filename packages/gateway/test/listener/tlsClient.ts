import { Effect } from "effect"
import { type Agent, request } from "node:https"
import { connect, type SecureVersion } from "node:tls"

/** The plane's answer to a client that trusts this authority; the error's code if the client does not trust the plane. */
export const asked = (url: string, ca: string, agent: Agent | false = false) =>
  Effect.callback<number | string>((resume) => {
    const outgoing = request(url, { ca, agent, timeout: 5_000 }, (answer) => {
      answer.resume().on("end", () => resume(Effect.succeed(answer.statusCode ?? 0)))
    })
    outgoing.on("error", (error) => resume(Effect.succeed("code" in error ? String(error.code) : error.message)))
    outgoing.end()
  })

/** The header of an answer that keeps a browser from speaking plain HTTP. */
export const hstsAt = (url: string, ca: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.callback<string | undefined, Error>((resume) => {
    const outgoing = request(url, { ca, agent: false, headers, servername: "localhost", timeout: 5_000 }, (answer) => {
      const { "strict-transport-security": hsts } = answer.headers
      answer.resume().on("end", () => resume(Effect.succeed(hsts)))
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end()
  })

/** The version that a client and the plane settle on, or that they do not. */
export const settledOn = (url: string, ca: string, maxVersion: SecureVersion, ciphers = "DEFAULT") =>
  Effect.callback<string | null>((resume) => {
    const { hostname, port } = new URL(url)
    const options = { host: hostname, port: Number(port), ca, minVersion: "TLSv1", maxVersion } as const
    const socket = connect({ ...options, ciphers: `${ciphers}@SECLEVEL=0` }, () => {
      const version = socket.getProtocol()
      socket.destroy()
      resume(Effect.succeed(version))
    })
    socket.on("error", () => resume(Effect.succeed(null)))
  })
