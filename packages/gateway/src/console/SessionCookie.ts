import { type Seal, sealWith } from "@portico/domain/seal"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { Config, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { ConsolePlane } from "./ConsoleFiles.ts"

/** Begins the names of the session cookies. Answers of proxied services set no cookies. */
const cookiePrefix = "__Host-portico-"

/**
 * The cookie that holds a console's session: the refresh token, encrypted under a key that all replicas have. Browsers
 * tell neither ports nor planes of one host apart, so that the name says the plane, and the cookie of one plane cannot
 * be opened on the other one. It authenticates no call of the API.
 */
export class SessionCookie {
  readonly #name: string
  readonly #plane: ConsolePlane
  readonly #seal: Seal

  constructor(plane: ConsolePlane, seal: Seal) {
    this.#name = `${cookiePrefix}${plane}`
    this.#plane = plane
    this.#seal = seal
  }

  static readonly config = (plane: ConsolePlane) =>
    Config.map(tenantKeys, (keys) => new SessionCookie(plane, sealWith(keys, "portico/console-sessions")))

  isIn({ cookies }: HttpServerRequest.HttpServerRequest): boolean {
    return cookies[this.#name] !== undefined
  }

  /** The refresh token of a request; undefined without a cookie of this plane that this gateway has sealed. */
  read({ cookies }: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined {
    const opened = this.#seal.open(this.#plane, cookies[this.#name] ?? "")
    return opened === undefined ? undefined : Redacted.make(opened.toString("utf8"))
  }

  /** Whether the cookie has to be sealed anew: another key than the first one has sealed it. */
  isOld({ cookies }: HttpServerRequest.HttpServerRequest): boolean {
    return this.#seal.renew(this.#plane, cookies[this.#name] ?? "") !== undefined
  }

  /** The header that sets the cookie, until the browser is closed. */
  set(refreshToken: Redacted.Redacted): Readonly<Record<string, string>> {
    return this.#header(this.#seal.close(this.#plane, Buffer.from(Redacted.value(refreshToken), "utf8")))
  }

  /** The header that removes it. */
  get cleared(): Readonly<Record<string, string>> {
    return this.#header("", "; Max-Age=0")
  }

  #header(value: string, more = ""): Readonly<Record<string, string>> {
    return { "set-cookie": `${this.#name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${more}` }
  }
}
