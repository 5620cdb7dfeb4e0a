import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { at } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

/** What a case depends on of an object: versions count all writes to the cluster. */
const brief = (object: unknown): unknown => ({
  name: at(object, "metadata", "name"),
  labels: at(object, "metadata", "labels"),
  spec: at(object, "spec")
})

const shown = <R>(call: ReturnType<typeof attempt<unknown, R>>) =>
  Effect.map(call, (_) => (at(_, "metadata") === undefined ? _ : brief(_)))

/** A namespace of this case's own, gone at its end. */
const namespace = Effect.fnUntraced(function* (word: string) {
  const kubernetes = yield* Kubernetes
  const name = (yield* Systems).named(word)
  yield* Effect.acquireRelease(kubernetes.apply(kinds.namespace, { name }, { labels: { word } }), () =>
    Effect.ignore(kubernetes.remove(kinds.namespace, { name }))
  )
  return name
})

const quota = (pods: string) => ({ labels: { of: "contract" }, fields: { spec: { hard: { pods } } } })

export const kubernetes: Cases = {
  "an object is applied again and again, found, listed, patched and removed twice": Effect.gen(function* () {
    const kubernetes = yield* Kubernetes
    const place = { namespace: yield* namespace("life"), name: "limits" }
    const { resourceQuota: kind } = kinds
    return {
      applied: yield* shown(attempt(kubernetes.apply(kind, place, quota("5")))),
      again: yield* shown(attempt(kubernetes.apply(kind, place, quota("7")))),
      found: yield* shown(attempt(kubernetes.find(kind, place))),
      listed: yield* attempt(
        Effect.map(kubernetes.list(kind, { namespace: place.namespace, labelSelector: "of=contract" }), (_) =>
          _.map(brief)
        )
      ),
      listedOthers: yield* attempt(kubernetes.list(kind, { namespace: place.namespace, labelSelector: "of=others" })),
      badSelector: yield* attempt(kubernetes.list(kind, { labelSelector: "=" })),
      patched: yield* shown(attempt(kubernetes.merge(kind, place, { metadata: { labels: { of: null } } }))),
      removed: yield* attempt(kubernetes.remove(kind, place)),
      removedAgain: yield* attempt(kubernetes.remove(kind, place)),
      foundAfter: yield* attempt(kubernetes.find(kind, place)),
      patchedAfter: yield* attempt(kubernetes.merge(kind, place, {}))
    }
  }).pipe(Effect.scoped),

  "names, conflicts, and missing namespaces": Effect.gen(function* () {
    const kubernetes = yield* Kubernetes
    const home = yield* namespace("names")
    const { resourceQuota: kind } = kinds
    const make = (name: string, where = home) =>
      shown(attempt(kubernetes.create(kind, { namespace: where, name }, quota("1"))))
    return {
      made: yield* make("one"),
      again: yield* make("one"),
      inCapitals: yield* make("ONE"),
      tooLong: yield* make("x".repeat(254)),
      empty: yield* make(""),
      nowhere: yield* make("one", "nowhere-at-all"),
      appliedNowhere: yield* shown(
        attempt(kubernetes.apply(kind, { namespace: "nowhere-at-all", name: "one" }, quota("1")))
      ),
      badQuantity: yield* shown(attempt(kubernetes.apply(kind, { namespace: home, name: "bad" }, quota("many")))),
      unknownKind: yield* attempt(
        kubernetes.find({ apiVersion: "example.org/v1", kind: "Nothing", plural: "nothings" }, { name: "x" })
      )
    }
  }).pipe(Effect.scoped),

  "an access review says whether a user may act": Effect.gen(function* () {
    const kubernetes = yield* Kubernetes
    const home = yield* namespace("review")
    const may = (user: string, verb: string, resource: string) =>
      attempt(
        Effect.map(
          kubernetes.create(
            kinds.subjectAccessReview,
            {},
            {
              fields: { spec: { user, resourceAttributes: { namespace: home, verb, resource } } }
            }
          ),
          (_) => at(_, "status", "allowed")
        )
      )
    return {
      nobody: yield* may("nobody", "get", "serviceaccounts"),
      gateway: yield* may("system:serviceaccount:portico:portico-gateway", "get", "serviceaccounts"),
      gatewayPods: yield* may("system:serviceaccount:portico:portico-gateway", "get", "pods")
    }
  }).pipe(Effect.scoped)
}
