import { type Seal, sealWith } from "@portico/domain/seal"
import { tenantKeys } from "@portico/upstream/tenantKeys"
import { makeRoom } from "@portico/upstream/TtlCache"
import { Config, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"

/** The parameters of a client's `initialize`. Another replica opens an equal session with them. */
const Initialized = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: Schema.Record(Schema.String, Schema.Json),
  clientInfo: Schema.Record(Schema.String, Schema.Json)
})
export type Initialized = typeof Initialized.Type

/** A session of an agent. The session is the same in every replica, and each replica has a state of its own for it. */
const AgentSession = Schema.Struct({
  id: Schema.String,
  /** The user that opened the session. No other user can use it. */
  userId: Schema.String,
  /** The time of its `initialize`, in milliseconds since the epoch. */
  openedAt: Schema.Number,
  initialized: Initialized
})
export type AgentSession = typeof AgentSession.Type

const encode = Schema.encodeSync(Schema.fromJsonString(AgentSession))
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(AgentSession))
const decodeInitialized = Schema.decodeUnknownOption(Initialized)

/** Load balancers limit a header to 8 KiB, and often all headers of a request together. */
const longestId = 4096

/** The most opened ids that the process remembers: as many as it keeps sessions in memory. */
const remembered = 5_000

/**
 * Session ids as clients see them. An id is the session itself, encrypted under a key that all replicas have, so that a
 * session needs no store: any replica can take it up, also after a restart. It holds no secret. The token of each
 * request decides what that request may do, as without a session.
 */
export class SessionIds {
  readonly #seal: Seal
  /** Sessions by opened ids. An id always means the same session, so entries only go to save memory. */
  readonly #opened = new Map<string, AgentSession>()

  constructor(seal: Seal) {
    this.#seal = seal
  }

  static readonly config = Config.map(tenantKeys, (keys) => new SessionIds(sealWith(keys, "portico/agent-sessions")))

  /** Undefined when the parameters of `initialize` do not fit into a header, even without what is optional in them. */
  close(session: AgentSession): string | undefined {
    const { initialized } = session
    for (const shorter of [initialized, withoutOptional(initialized)]) {
      const id = this.#seal.close(name, Buffer.from(encode({ ...session, initialized: shorter })))
      if (id.length <= longestId) return id
    }
    return undefined
  }

  /** Undefined for a text that is no session id of this gateway. */
  open(id: string): AgentSession | undefined {
    const known = this.#opened.get(id)
    if (known !== undefined) return known
    const session = this.#open(id)
    // A text that is not an id takes no place in memory.
    if (session !== undefined) {
      makeRoom(this.#opened, remembered)
      this.#opened.set(id, session)
    }
    return session
  }

  #open(id: string): AgentSession | undefined {
    // An id has one spelling only, although a decoder of base64 accepts several.
    if (id.length > longestId || Buffer.from(id, "base64url").toString("base64url") !== id) return undefined
    return Option.getOrUndefined(decode(this.#seal.open(name, id)?.toString("utf8")))
  }
}

const name = "session"

/**
 * The parameters without long optional parts, such as icons, descriptions and experiments. Servers do not need those.
 */
const withoutOptional = ({ capabilities, clientInfo, protocolVersion }: Initialized): Initialized => ({
  protocolVersion,
  capabilities: Object.fromEntries(
    Object.entries(capabilities).filter(([name]) => ["elicitation", "sampling", "roots"].includes(name))
  ),
  clientInfo: Object.fromEntries(Object.entries(clientInfo).filter(([name]) => ["name", "version"].includes(name)))
})

/** A session that a client opens with these parameters of `initialize`; undefined when they are not well-formed. */
export const sessionOf = (
  params: unknown,
  { now, protocolVersion, userId }: { readonly now: number; readonly protocolVersion: string; readonly userId: string }
): AgentSession | undefined =>
  Option.getOrUndefined(
    Option.map(decodeInitialized(params), (initialized) => ({
      id: randomUUID(),
      userId,
      openedAt: now,
      initialized: { ...initialized, protocolVersion }
    }))
  )
