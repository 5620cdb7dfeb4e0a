import { Array as Arr, Config, Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { postJson } from "../requests.ts"
import { Taken, type UpstreamError } from "../UpstreamError.ts"
import { grantsOf, maxPageSize, projectionRetry } from "./grants.ts"
import { management as managementApi } from "./management.ts"

/** A person at the identity provider. */
export interface Human {
  readonly userId: string
  /** For logins that the gateway created: the e-mail address in lower case. */
  readonly userName: string
  readonly email: string
  /** Whether the person has proved that the address is theirs. */
  readonly isEmailVerified: boolean
  readonly displayName: string
  /** `USER_STATE_INITIAL` until the person follows the link in the mail, then `USER_STATE_ACTIVE`; there are others. */
  readonly state: string
  /** The creator's stamp; empty for a login that the gateway did not create. */
  readonly stamp: string
}

export interface NewHuman {
  readonly email: string
  readonly displayName: string
  readonly stamp: string
  /**
   * Whether the caller takes an existing login of the name that has another stamp; it keeps that. People change their
   * names and nicknames themselves, so the stamp alone must not decide.
   */
  readonly takes?: (found: Human) => Effect.Effect<boolean, UpstreamError>
  readonly role: string
}

const text = Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))

const Profile = Schema.Struct({ firstName: text, lastName: text, displayName: text, nickName: text })

const User = Schema.Struct({
  id: Schema.String,
  state: text,
  userName: text,
  human: Schema.optionalKey(
    Schema.Struct({
      profile: Profile,
      email: Schema.Struct({
        email: text,
        isEmailVerified: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
      })
    })
  )
})

const Found = Schema.Struct({ user: User })
const Search = Schema.Struct({ result: Schema.optionalKey(Schema.Array(User)) })

/**
 * People at Zitadel. They are created with its v1 API, because only that
 * supports logins that are not initialised yet and mails the link. A person's
 * user name is the e-mail address and unique in the whole instance. The id
 * cannot be chosen. `profile.nickName` holds the creator's stamp.
 */
export class Humans extends Context.Service<
  Humans,
  {
    /**
     * Creates the login with the role and triggers its initialisation mail. An
     * existing login of that name with the caller's stamp is reused and gets
     * the role, see {@link NewHuman.takes}. Any other one is `Taken`.
     */
    create(options: NewHuman): Effect.Effect<{ readonly userId: string; readonly stamp: string }, UpstreamError | Taken>
    /** Undefined for an unknown id and for a machine user. It reflects the latest writes. */
    find(userId: string): Effect.Effect<Human | undefined, UpstreamError>
    /** The user of this address. A login of the last second or so may be missing. */
    findByEmail(email: string): Effect.Effect<Human | undefined, UpstreamError>
    /** By id, in one call per thousand ids. Users of the last second or so may be missing. */
    list(userIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Human>, UpstreamError>
    /** The ids of the people who hold the role, in no stable order. */
    holders(role: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** The user's roles. Roles of the last second or so may be missing. */
    rolesOf(userId: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** Replaces the user's roles by this one. */
    setRole(userId: string, role: string): Effect.Effect<void, UpstreamError>
    /** Sends the initialisation mail again. Does nothing for a login that is initialised. */
    resendMail(userId: string): Effect.Effect<void, UpstreamError>
    /**
     * Removes the login with all its grants. A login that is gone is no error.
     *
     * @param stamp that it has to carry to be removed. Without one the caller has another proof that it may: people write
     * their nicknames themselves, also between two calls.
     */
    remove(userId: string, stamp?: string): Effect.Effect<void, UpstreamError>
    /**
     * Like {@link remove} by a stamp, for a caller that lost the response with the id. It
     * searches several times, because a new login appears with a delay. The
     * caller has to search again for a login that appears even later.
     */
    removeByEmail(email: string, stamp: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/zitadel/Humans") {
  static readonly layer = Layer.effect(
    Humans,
    Effect.gen(function* () {
      const projectId = yield* Config.String("ZITADEL_PROJECT_ID")
      const management = yield* managementApi
      const { holders, rolesOf, setRole } = grantsOf(management, projectId)
      const user = (userId: string) => `/users/${encodeURIComponent(userId)}`

      const search = (call: string, limit: number, ...queries: ReadonlyArray<object>) =>
        Effect.map(
          management.read(
            call,
            postJson("/users/_search", { query: { offset: "0", limit, asc: true }, queries }),
            Search
          ),
          ({ result = [] }) => result
        )

      const find = Effect.fn("Humans.find")(function* (userId: string) {
        const found = yield* management.find("find human", HttpClientRequest.get(user(userId)), Found)
        return found && humanOf(found.user)
      })

      const method = "TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE"
      /** Any user with the name, machine or person: then the name is taken. */
      const named = (email: string) =>
        Effect.map(search("find name", 1, { userNameQuery: { userName: email, method } }), (_) =>
          // A query that a release does not know is left out, and finds everybody.
          _.find(({ userName }) => userName.toLowerCase() === email.toLowerCase())
        )

      const findByEmail = Effect.fn("Humans.findByEmail")(function* (email: string) {
        const found = yield* named(email)
        return found && humanOf(found)
      })

      const importHuman = (email: string, displayName: string, stamp: string) =>
        management
          .write(
            "create human",
            postJson("/users/human/_import", {
              userName: email.toLowerCase(),
              profile: { ...namesOf(displayName), displayName, nickName: stamp },
              email: { email, isEmailVerified: false }
            }),
            Schema.Struct({ userId: Schema.String })
          )
          .pipe(Effect.map(({ userId }) => ({ userId, stamp })))

      /** The existing login after a 409. If it carries the caller's stamp, an earlier create made it. */
      const existing = Effect.fnUntraced(function* ({ email, stamp, takes }: NewHuman) {
        // A login of another organisation of the instance is not visible here.
        const seen = yield* Effect.repeat(named(email), { ...projectionRetry, until: (_) => _ !== undefined })
        const found = seen && humanOf(seen)
        if (found !== undefined && (found.stamp === stamp || (takes !== undefined && (yield* takes(found))))) {
          return { userId: found.userId, stamp: found.stamp }
        }
        return yield* new Taken({ upstream: "zitadel", what: `login '${email.toLowerCase()}'` })
      })

      const create = Effect.fn("Humans.create")(function* (options: NewHuman) {
        const { displayName, email, role, stamp } = options
        const login = yield* Effect.catchIf(
          importHuman(email, displayName, stamp),
          (error) => error.status === 409,
          () => existing(options)
        )
        yield* setRole(login.userId, role)
        return login
      })

      const list = Effect.fn("Humans.list")(function* (userIds: ReadonlyArray<string>) {
        const found = yield* Effect.forEach(Arr.chunksOf(userIds, maxPageSize), (ids) =>
          search("list humans", ids.length, { inUserIdsQuery: { userIds: ids } })
        )
        const humans = found.flat().flatMap((_) => humanOf(_) ?? [])
        return new Map(humans.map((_) => [_.userId, _]))
      })

      const resendMail = Effect.fn("Humans.resendMail")(function* (userId: string) {
        const resend = management.send("resend mail", postJson(`${user(userId)}/_resend_initialization`, {}))
        yield* Effect.catchIf(
          resend,
          (error) => error.status === 400,
          (refusal) =>
            Effect.flatMap(find(userId), (found) =>
              found?.state === "USER_STATE_INITIAL" ? Effect.fail(refusal) : Effect.void
            )
        )
      })

      const remove = Effect.fn("Humans.remove")(function* (userId: string, stamp?: string) {
        const found = yield* find(userId)
        if (found !== undefined && (stamp === undefined || found.stamp === stamp)) {
          yield* management.remove("remove human", HttpClientRequest.delete(user(userId)))
        }
      })

      const removeByEmail = Effect.fn("Humans.removeByEmail")(function* (email: string, stamp: string) {
        const found = yield* findByEmail(email).pipe(
          Effect.repeat({ ...projectionRetry, until: (_) => _ !== undefined })
        )
        if (found !== undefined) yield* remove(found.userId, stamp)
      })

      return Humans.of({
        create,
        find,
        findByEmail,
        list,
        holders,
        rolesOf,
        setRole,
        resendMail,
        remove,
        removeByEmail
      })
    })
  )
}

const humanOf = ({ human, id, state, userName }: typeof User.Type): Human | undefined =>
  human && {
    userId: id,
    userName,
    email: human.email.email,
    isEmailVerified: human.email.isEmailVerified,
    displayName: human.profile.displayName,
    state,
    stamp: human.profile.nickName
  }

/** Zitadel requires both names. A name of one word is used for both. */
const namesOf = (displayName: string): { readonly firstName: string; readonly lastName: string } => {
  const words = displayName.trim().split(/\s+/)
  return { firstName: words.slice(0, -1).join(" ") || displayName, lastName: words.at(-1) ?? displayName }
}
