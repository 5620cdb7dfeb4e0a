import type { Cookie } from "@portico/domain/console/Sessions"
import type { ConsolePlane } from "@portico/store/ConsoleSessions"
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Begins the names of the session cookies. Answers of proxied services set no cookies. */
const cookiePrefix = "__Host-portico-"

/** 256 bits in base64url. */
const form = /^[\w-]{43}$/

/**
 * The cookie of a console's session: a random value of which the store has the hash. Browsers tell neither ports nor
 * planes of one host apart, so that the name says the plane. It authenticates no call of the API.
 */
export class SessionCookie {
  readonly #name: string

  constructor(plane: ConsolePlane) {
    this.#name = `${cookiePrefix}${plane}`
  }

  /** The cookie of a request; undefined where there is none that a gateway may have set. */
  read({ cookies }: HttpServerRequest.HttpServerRequest): Cookie | undefined {
    const value = cookies[this.#name]
    return value !== undefined && form.test(value) ? Redacted.make(value) : undefined
  }

  /** The header that sets the cookie, until the browser is closed. */
  set(cookie: Cookie): Readonly<Record<string, string>> {
    return this.#header(Redacted.value(cookie))
  }

  /** The header that removes it. */
  get cleared(): Readonly<Record<string, string>> {
    return this.#header("", "; Max-Age=0")
  }

  #header(value: string, more = ""): Readonly<Record<string, string>> {
    return { "set-cookie": `${this.#name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${more}` }
  }
}
