import { Result } from "effect"
import { type JsonObject, numberAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { bodyOf } from "./decode.ts"
import { builtInKind } from "./kinds.ts"
import type { Request } from "./request.ts"
import type { Thing } from "./state.ts"
import { badRequest, conflict, type FieldError, invalidUnless, invalidValue, notFound } from "./status.ts"
import { find } from "./store.ts"
import { mint } from "./tokens.ts"
import { current } from "./update.ts"

const shortest = 600
const longest = 2 ** 32

/** What the kubelet asks for on behalf of an old-fashioned mount: lengthened, so that whoever reads it once goes on working. */
const legacySeconds = 3_607
const year = 365 * 24 * 3_600

/** `serviceaccounts/token`: a credential for an account, for ten minutes at least. */
export const requestToken = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { info, now, state } = request
    const account = yield* current(request)
    const body = yield* bodyOf(request.incoming)
    const spec = objectAt(body, "spec")
    const seconds = numberAt(spec, "expirationSeconds") ?? 3_600
    yield* invalidUnless(tokenRequest, "", lifetimeErrors(seconds))
    const bound = yield* boundObject(request, objectAt(spec, "boundObjectRef"))
    const given = stringsAt(spec, "audiences") ?? []
    const audiences = given.length === 0 ? [state.tokenIssuer.issuer] : given
    const from = Math.floor(now / 1000)
    const lengthened =
      bound?.kind === "Pod" && seconds === legacySeconds && audiences.every((_) => _ === state.tokenIssuer.issuer)
    const token = mint(state, {
      account,
      audiences,
      from,
      until: from + (lengthened ? year : seconds),
      bound,
      warnAfter: lengthened ? from + seconds : undefined
    })
    return json(201, {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: info.name, namespace: info.namespace, creationTimestamp: toSecondsUtc(now) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec["boundObjectRef"] ?? null },
      // What is told is what was asked for, whatever the token itself says.
      status: { token, expirationTimestamp: toSecondsUtc((from + seconds) * 1000) }
    })
  })

const tokenRequest = { group: "authentication.k8s.io", kind: "TokenRequest" }

const lifetimeErrors = (seconds: number): ReadonlyArray<FieldError> => {
  const field = "spec.expirationSeconds"
  if (seconds < shortest) return [invalidValue(field, seconds, "may not specify a duration less than 10 minutes")]
  if (seconds > longest) return [invalidValue(field, seconds, "may not specify a duration larger than 2^32 seconds")]
  return []
}

/** What the token ends with; undefined for nothing. */
const boundObject = ({ info, state }: Request, reference: JsonObject): Step<Thing | undefined> => {
  const [apiVersion = "", kind = "", name = "", uid = ""] = ["apiVersion", "kind", "name", "uid"].map((_) =>
    stringAt(reference, _)
  )
  if (kind === "" && name === "") return Result.succeed(undefined)
  const plural = apiVersion === "v1" ? bindable[kind] : undefined
  if (plural === undefined) return badRequest(`cannot bind token to object of type ${typeOf(apiVersion, kind)}`)
  const found = find(state, plural, info.namespace, name)
  if (found === undefined) return notFound(builtInKind(plural), name)
  const runsAs = stringAt(objectAt(found, "spec"), "serviceAccountName") ?? "default"
  if (kind === "Pod" && runsAs !== info.name) {
    return badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(info.name)} to pod running with different serviceaccount name.`
    )
  }
  return uid === "" || uid === found.metadata.uid
    ? Result.succeed(found)
    : conflict({ ...builtInKind(plural), plural: kind }, name, otherUid(uid))
}

const bindable: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets" }

const otherUid = (uid: string): string =>
  `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted ` +
  "and then recreated"

/** As a Go struct prints: group, version, kind. */
const typeOf = (apiVersion: string, kind: string): string => {
  const [version = "", group = ""] = apiVersion.split("/").toReversed()
  return `${group}/${version}, Kind=${kind}`
}
