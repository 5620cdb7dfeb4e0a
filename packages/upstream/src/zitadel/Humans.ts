import { Config, Context, Effect, Layer, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Taken, type UpstreamError } from "../UpstreamError.ts"
import { grantsOf, patience } from "./grants.ts"
import { management as managementApi } from "./management.ts"

/** A person as the identity provider knows it. */
export interface Human {
  readonly userId: string
  /** The e-mail address in lower case, of those that were made here. */
  readonly userName: string
  readonly email: string
  readonly displayName: string
  /** `USER_STATE_INITIAL` until the link of the mail was followed, then `USER_STATE_ACTIVE`; there are others. */
  readonly state: string
  /** What whoever made the login has left in it; empty for one that was not made here. */
  readonly stamp: string
}

const text = Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))

const Profile = Schema.Struct({ firstName: text, lastName: text, displayName: text, nickName: text })

const User = Schema.Struct({
  id: Schema.String,
  state: text,
  userName: text,
  human: Schema.optionalKey(Schema.Struct({ profile: Profile, email: Schema.Struct({ email: text }) }))
})

const Found = Schema.Struct({ user: User })
const Search = Schema.Struct({ result: Schema.optionalKey(Schema.Array(User)) })

/** No search answers with more. */
const largestPage = 1000

/**
 * People at Zitadel. They are made by its v1 API, which alone knows logins that
 * are not initialised yet and mails the link for it. A person's user name is
 * the e-mail address, and unique in the whole instance; the id cannot be
 * chosen. `profile.nickName` holds the stamp of whoever made the login.
 */
export class Humans extends Context.Service<
  Humans,
  {
    /**
     * Makes the login with the role, and has its initialisation mail sent; the
     * one of that name that carries the stamp already is found again, with the
     * role. Anybody else's is `Taken`.
     *
     * @param options.isOwn which other stamps are the caller's own too; such a login keeps its stamp
     */
    create(options: {
      readonly email: string
      readonly displayName: string
      readonly stamp: string
      readonly isOwn?: (stamp: string) => boolean
      readonly role: string
    }): Effect.Effect<{ readonly userId: string; readonly stamp: string }, UpstreamError | Taken>
    /** Undefined for an unknown id and for a machine user. Shows what was just written. */
    find(userId: string): Effect.Effect<Human | undefined, UpstreamError>
    /** Who logs in with this address. A login of the last second or so may not be found. */
    findByEmail(email: string): Effect.Effect<Human | undefined, UpstreamError>
    /** By id, in one call for a thousand of them. Those of the last second or so may be missing. */
    list(userIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Human>, UpstreamError>
    /** Ids of the people who hold the role, in no order that lasts. */
    holders(role: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** The roles that the user holds. Those of the last second or so may be missing. */
    rolesOf(userId: string): Effect.Effect<ReadonlyArray<string>, UpstreamError>
    /** Gives the user this role in place of those that it holds. */
    setRole(userId: string, role: string): Effect.Effect<void, UpstreamError>
    /** Sends the initialisation mail once more; silent about a login that is initialised. */
    resendMail(userId: string): Effect.Effect<void, UpstreamError>
    /** With everything it holds. Silent about one that is gone; removes nothing that does not carry the stamp. */
    remove(userId: string, stamp: string): Effect.Effect<void, UpstreamError>
    /**
     * {@link remove}, for whoever lost the answer that had the id. Looks more
     * than once, because a new login is found a moment later; one that comes
     * into being after all has to be looked for again.
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
            HttpClientRequest.post("/users/_search").pipe(
              HttpClientRequest.bodyJsonUnsafe({ query: { offset: "0", limit, asc: true }, queries })
            ),
            Search
          ),
          ({ result = [] }) => result
        )

      const find = Effect.fn("Humans.find")(function* (userId: string) {
        const found = yield* management.find("findHuman", HttpClientRequest.get(user(userId)), Found)
        return found && humanOf(found.user)
      })

      const method = "TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE"
      /** Whoever has the name, machine or person: it is taken then. */
      const named = (email: string) =>
        Effect.map(search("findName", 1, { userNameQuery: { userName: email, method } }), (_) => _[0])

      const findByEmail = Effect.fn("Humans.findByEmail")(function* (email: string) {
        const found = yield* named(email)
        return found && humanOf(found)
      })

      const enter = (email: string, displayName: string, stamp: string) =>
        management
          .write(
            "createHuman",
            HttpClientRequest.post("/users/human/_import").pipe(
              HttpClientRequest.bodyJsonUnsafe({
                userName: email.toLowerCase(),
                profile: { ...namesOf(displayName), displayName, nickName: stamp },
                email: { email, isEmailVerified: false }
              })
            ),
            Schema.Struct({ userId: Schema.String })
          )
          .pipe(Effect.map(({ userId }) => ({ userId, stamp })))

      /** The one that a refused create met: when it carries such a stamp, it is an earlier create's. */
      const known = Effect.fnUntraced(function* (email: string, isOwn: (stamp: string) => boolean) {
        // One of another organisation of the instance is never seen here.
        const seen = yield* Effect.repeat(named(email), { ...patience, until: (_) => _ !== undefined })
        return seen?.human !== undefined && isOwn(seen.human.profile.nickName)
          ? { userId: seen.id, stamp: seen.human.profile.nickName }
          : yield* new Taken({ upstream: "zitadel", what: `login '${email.toLowerCase()}'` })
      })

      const create = Effect.fn("Humans.create")(function* (options: {
        readonly email: string
        readonly displayName: string
        readonly stamp: string
        readonly isOwn?: (stamp: string) => boolean
        readonly role: string
      }) {
        const { displayName, email, isOwn = (_) => _ === stamp, role, stamp } = options
        const login = yield* Effect.catchIf(
          enter(email, displayName, stamp),
          (error) => error.status === 409,
          () => known(email, isOwn)
        )
        yield* setRole(login.userId, role)
        return login
      })

      const list = Effect.fn("Humans.list")(function* (userIds: ReadonlyArray<string>) {
        const pages = Array.from({ length: Math.ceil(userIds.length / largestPage) }, (_, page) =>
          userIds.slice(page * largestPage, (page + 1) * largestPage)
        )
        const found = yield* Effect.forEach(pages, (ids) =>
          search("listHumans", ids.length, { inUserIdsQuery: { userIds: ids } })
        )
        const humans = found.flat().flatMap((_) => humanOf(_) ?? [])
        return new Map(humans.map((_) => [_.userId, _]))
      })

      const resendMail = Effect.fn("Humans.resendMail")(function* (userId: string) {
        const asked = management.send(
          "resendMail",
          HttpClientRequest.post(`${user(userId)}/_resend_initialization`).pipe(HttpClientRequest.bodyJsonUnsafe({}))
        )
        yield* Effect.catchIf(
          asked,
          (error) => error.status === 400,
          (refusal) =>
            Effect.flatMap(find(userId), (found) =>
              found?.state === "USER_STATE_INITIAL" ? Effect.fail(refusal) : Effect.void
            )
        )
      })

      const remove = Effect.fn("Humans.remove")(function* (userId: string, stamp: string) {
        if ((yield* find(userId))?.stamp === stamp) {
          yield* management.remove("removeHuman", HttpClientRequest.delete(user(userId)))
        }
      })

      const removeByEmail = Effect.fn("Humans.removeByEmail")(function* (email: string, stamp: string) {
        const found = yield* findByEmail(email).pipe(Effect.repeat({ ...patience, until: (_) => _ !== undefined }))
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
    displayName: human.profile.displayName,
    state,
    stamp: human.profile.nickName
  }

/** Both are mandatory, and of a name in one word nobody knows which it is. */
const namesOf = (displayName: string): { readonly firstName: string; readonly lastName: string } => {
  const words = displayName.trim().split(/\s+/)
  return { firstName: words.slice(0, -1).join(" ") || displayName, lastName: words.at(-1) ?? displayName }
}
