import { Result } from "effect"
import { type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { toSecondsUtc } from "../times.ts"
import { thingOf, typed } from "./decode.ts"
import { resourceOf } from "./kinds.ts"
import { afterUpdate } from "./managedFields.ts"
import { type Action, allows, type Identity, rulesFor } from "./rbac.ts"
import { type Request, writerOf } from "./request.ts"
import { shapeOf } from "./shapes.ts"
import { badRequest } from "./status.ts"
import { omit } from "./store.ts"

/** Reviews are created and answered, and not stored. */
export const review = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const given = yield* thingOf(request.incoming, request.kind)
    const body = owned(request, (yield* typed(request, given)).object)
    const spec = objectAt(body, "spec")
    switch (resourceOf(request.kind)) {
      case "selfsubjectreviews.authentication.k8s.io":
        return answered(body, { userInfo: userInfo(request.who) })
      case "selfsubjectrulesreviews.authorization.k8s.io":
        return answered(body, rulesStatus(request, stringAt(spec, "namespace") ?? ""))
      case "subjectaccessreviews.authorization.k8s.io":
        return answered(body, decided(request, subjectOf(spec), yield* actionOf(spec)))
      default:
        return answered(body, decided(request, request.who, yield* actionOf(spec)))
    }
  })

const answered = (body: JsonObject, status: JsonObject): Answer => json(201, { ...body, status })

/** A review has the owners of its fields, and only that of the caller himself a time. */
const owned = (request: Request, body: JsonObject): JsonObject => {
  const { kind, now, state } = request
  const metadata = objectAt(body, "metadata")
  const managedFields = afterUpdate({}, omit(body, "status"), [], shapeOf(state, kind), writerOf(request, "Update"))
  const time = kind.kind === "SelfSubjectReview" ? { creationTimestamp: toSecondsUtc(now) } : {}
  return { ...body, metadata: { ...metadata, ...time, ...(managedFields === undefined ? {} : { managedFields }) } }
}

const userInfo = ({ extra, groups, name, uid }: Identity): JsonObject => ({
  username: name,
  ...(uid === "" ? {} : { uid }),
  groups,
  ...(Object.keys(extra).length === 0 ? {} : { extra })
})

const subjectOf = (spec: JsonObject): Identity => ({
  name: stringAt(spec, "user") ?? "",
  uid: stringAt(spec, "uid") ?? "",
  groups: stringsAt(spec, "groups") ?? [],
  extra: {}
})

const actionOf = (spec: JsonObject): Step<Action> => {
  const word = (of: JsonObject, key: string) => stringAt(of, key) ?? ""
  const path = objectAt(spec, "nonResourceAttributes")
  const resource = objectAt(spec, "resourceAttributes")
  if (spec["nonResourceAttributes"] !== undefined) {
    return Result.succeed({ verb: word(path, "verb"), path: word(path, "path") })
  }
  return spec["resourceAttributes"] === undefined
    ? badRequest("exactly one of nonResourceAttributes or resourceAttributes must be specified")
    : Result.succeed({
        verb: word(resource, "verb"),
        group: word(resource, "group"),
        resource: word(resource, "resource"),
        subresource: word(resource, "subresource"),
        namespace: word(resource, "namespace"),
        name: word(resource, "name")
      })
}

const decided = ({ state }: Request, who: Identity, action: Action): JsonObject => {
  const { allowed, reason } = allows(state, who, action)
  return allowed ? { allowed, ...(reason === "" ? {} : { reason }) } : { allowed }
}

const rulesStatus = ({ state, who }: Request, namespace: string): JsonObject => {
  const rules = rulesFor(state, who, namespace).rules.map((_) => _.rule)
  const isPath = (_: (typeof rules)[number]) => (_.nonResourceURLs ?? []).length > 0
  return {
    resourceRules: rules
      .filter((_) => !isPath(_))
      .map(({ apiGroups, resourceNames = [], resources, verbs }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length === 0 ? {} : { resourceNames })
      })),
    nonResourceRules: rules.filter(isPath).map(({ nonResourceURLs, verbs }) => ({ verbs, nonResourceURLs })),
    incomplete: false
  }
}
