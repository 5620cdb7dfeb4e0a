import type { Caller } from "@portico/contract/Access"
import type { Failure } from "@portico/contract/Failures"
import type { PresentedToken } from "@portico/domain/access/PresentedToken"
import type { Source } from "@portico/domain/access/networks"
import type { Plane } from "@portico/domain/health/readiness"
import { Context, type Effect } from "effect"
import type { Duplex } from "node:stream"

/** An admitted caller and its token, both of which are checked again while the call goes on. */
export interface Admitted {
  readonly token: PresentedToken
  readonly plane: Plane
  readonly source: Source
  readonly caller: Caller
}

/** A running call, which ends when its caller loses the right to it; see `OpenCalls`. */
export class OpenCall {
  readonly requestId: string
  readonly #socket: Duplex
  /** Its slot in `OpenCalls`; -1 while it has none. */
  slot = -1
  /** Undefined until the caller is known. */
  admitted: Admitted | undefined
  /**
   * Repeats the permission check of the call for the current state of its caller; undefined until the call was
   * admitted.
   */
  recheck: ((caller: Caller) => Effect.Effect<unknown, Failure>) | undefined
  /** Whether the call can still be ended. */
  isOpen: () => boolean = always
  /** When the token expires, in milliseconds since the epoch. */
  ends = Number.POSITIVE_INFINITY
  /**
   * When the identity provider is asked about the token again, in the same unit; undefined while its last answer is
   * fresh.
   */
  renewsAt: number | undefined
  /** The reason why the call was ended. */
  refusal: Failure | undefined
  /** Ends the call with a reason in its own protocol; without it the connection is broken off. */
  endWithReason: ((refusal: Failure) => void) | undefined

  constructor(socket: Duplex, requestId: string) {
    this.#socket = socket
    this.requestId = requestId
  }

  end(refusal: Failure): void {
    if (this.refusal !== undefined) return
    this.refusal = refusal
    if (this.endWithReason === undefined) this.breakOff()
    else this.endWithReason(refusal)
  }

  breakOff(): void {
    this.#socket.destroy()
  }
}

const always = (): boolean => true

/** The open call of a request to a first-class route whose answer is a stream. */
export const CurrentOpenCall = Context.Reference<OpenCall | undefined>("portico/gateway/streams/CurrentOpenCall", {
  defaultValue: () => undefined
})

/** The reason for an end, as one sentence. */
export const reasonOf = ({ detail }: Failure): string =>
  typeof detail === "string" ? detail : "The caller lost the right to this call"
