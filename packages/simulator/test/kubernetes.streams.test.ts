import { assert, it } from "@effect/vitest"
import { followers } from "@portico/simulator/kubernetes/hub"
import { writeLog } from "@portico/simulator/kubernetes/logs"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import * as transport from "@portico/simulator/transport"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { configMap, eventsOf, followed, headersOf, kube, patch, podOf } from "./kube.ts"

const v1 = "/api/v1/namespaces/default"
const maps = `${v1}/configmaps`
const Memory = SimulatedCloud.layerMemory

const seenIn = (text: string) => eventsOf(text).map(({ object, type }) => `${type} ${object.metadata.name}`)

const labelled = (name: string, app: string) => ({ metadata: { name, labels: { app } } })

it.effect("a watch sends current objects, then changes in order, and ends at its time-out", () =>
  Effect.gen(function* () {
    yield* kube("POST", maps, { json: configMap("a") })
    const seen = yield* followed(`${maps}?watch=true&timeoutSeconds=30&fieldSelector=metadata.name!%3Dkube-root-ca.crt`)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(seenIn(seen.text), ["ADDED a"])
    yield* kube("POST", maps, { json: configMap("b") })
    yield* patch(`${maps}/b`, "merge", { data: { k: "v" } })
    yield* kube("POST", "/api/v1/namespaces/kube-public/configmaps", { json: configMap("elsewhere") })
    yield* kube("DELETE", `${maps}/a`)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(seenIn(seen.text), ["ADDED a", "ADDED b", "MODIFIED b", "DELETED a"])
    assert.isFalse(seen.over)
    yield* TestClock.adjust("28 seconds")
    assert.isTrue(seen.over)
  }).pipe(Effect.provide(Memory))
)

it.effect("a watch by label sees objects enter its selection and leave it", () =>
  Effect.gen(function* () {
    yield* kube("POST", maps, { json: labelled("a", "one") })
    const { resourceVersion } = (yield* kube("GET", maps)).json.metadata
    const seen = yield* followed(`${maps}?watch=1&resourceVersion=${resourceVersion}&labelSelector=app%3Dtwo`)
    for (const app of ["two", "two", "one"])
      yield* patch(`${maps}/a`, "merge", { metadata: { labels: { app } }, data: { app } })
    yield* patch(`${maps}/a`, "merge", { metadata: { labels: { app: "two" } }, data: { again: "1" } })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(seenIn(seen.text), ["ADDED a", "DELETED a", "ADDED a"])
  }).pipe(Effect.provide(Memory))
)

it.effect("a list and a watch refuse unsuitable options", () =>
  Effect.gen(function* () {
    const asked = Effect.fnUntraced(function* (query: string) {
      const { json, status } = yield* kube("GET", `${maps}?${query}`)
      return [status, json.message]
    })
    const refused = (why: string) => [422, `ListOptions.meta.k8s.io "" is invalid: ${why}`]
    assert.deepStrictEqual(
      yield* asked("watch=true&sendInitialEvents=true"),
      refused(
        "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
      )
    )
    assert.deepStrictEqual(
      yield* asked("watch=true&resourceVersionMatch=NotOlderThan"),
      refused(
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
      )
    )
    assert.deepStrictEqual(
      yield* asked("sendInitialEvents=false"),
      refused("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list")
    )
    assert.deepStrictEqual(
      yield* asked("resourceVersionMatch=Newest"),
      refused(
        "[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, " +
          'resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""]'
      )
    )
    assert.deepStrictEqual(
      yield* asked("resourceVersion=0&resourceVersionMatch=Exact"),
      refused('resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    )
    assert.strictEqual((yield* kube("GET", `${maps}?resourceVersion=0&resourceVersionMatch=NotOlderThan`)).status, 200)
    assert.strictEqual((yield* kube("DELETE", `${maps}?resourceVersionMatch=Exact`)).status, 422)
  }).pipe(Effect.provide(Memory))
)

it.effect("a watch resumes from a remembered version, and is 410 from an older one", () =>
  Effect.gen(function* () {
    const { resourceVersion } = (yield* kube("GET", maps)).json.metadata
    yield* kube("POST", maps, { json: configMap("a") })
    const path = `${maps}?watch=&resourceVersion=${resourceVersion}&allowWatchBookmarks=true`
    const seen = yield* followed(path)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(
      eventsOf(seen.text).map((_) => _.type),
      ["ADDED", "BOOKMARK"]
    )
    yield* TestClock.adjust("6 minutes")
    const late = yield* followed(path)
    yield* TestClock.adjust("1 second")
    const [error] = eventsOf(late.text)
    assert.deepStrictEqual([error?.type, error?.object.code, late.over], ["ERROR", 410, true])
    assert.include(error?.object.message ?? "", `too old resource version: ${resourceVersion}`)
  }).pipe(Effect.provide(Memory))
)

it.effect("a watch sees changes of the controllers", () =>
  Effect.gen(function* () {
    const seen = yield* followed(`${v1}/pods?watch=true`)
    yield* kube("POST", `${v1}/pods`, { json: podOf("web") })
    yield* TestClock.adjust("1 second")
    assert.lengthOf(eventsOf(seen.text), 1)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(
      eventsOf(seen.text).map((_) => [_.type, _.object.status?.phase]),
      [
        ["ADDED", "Pending"],
        ["MODIFIED", "Running"]
      ]
    )
  }).pipe(Effect.provide(Memory))
)

it.effect.each(["0", "false", "FALSE"])("watch=%s is a list", (value) =>
  Effect.gen(function* () {
    assert.strictEqual((yield* kube("GET", `${maps}?watch=${value}`)).json.kind, "ConfigMapList")
  }).pipe(Effect.provide(Memory))
)

it.effect("a paged list is of one moment, and its continuation expires", () =>
  Effect.gen(function* () {
    for (const name of ["a", "b", "c"]) yield* kube("POST", maps, { json: configMap(name) })
    const page = (query: string) => kube("GET", `${maps}?limit=2${query}`)
    const names = (json: { items: ReadonlyArray<{ metadata: { name: string } }> }) =>
      json.items.map((_) => _.metadata.name)
    const first = yield* page("")
    assert.deepStrictEqual([names(first.json), first.json.metadata.remainingItemCount], [["a", "b"], 2])
    assert.isUndefined(first.json.items[0].kind)
    yield* kube("DELETE", `${maps}/c`)
    yield* kube("POST", maps, { json: configMap("d") })
    const rest = `&continue=${first.json.metadata.continue}`
    assert.deepStrictEqual(names((yield* page(rest)).json), ["c", "kube-root-ca.crt"])
    assert.isUndefined((yield* page("&labelSelector=!none")).json.metadata.remainingItemCount)
    yield* TestClock.adjust("6 minutes")
    const expired = yield* page(rest)
    assert.deepStrictEqual([expired.status, expired.json.reason], [410, "Expired"])
    const loose = yield* page(`&continue=${expired.json.metadata.continue}`)
    assert.deepStrictEqual(names(loose.json), ["d", "kube-root-ca.crt"])
    assert.strictEqual((yield* page("&continue=nonsense")).status, 400)
  }).pipe(Effect.provide(Memory))
)

it.effect.each([
  ["app=one", ["a"]],
  ["app!=one", ["b", "c", "kube-root-ca.crt"]],
  ["app in (one, two)", ["a", "b"]],
  ["app notin (one),app", ["b"]],
  ["!app", ["c", "kube-root-ca.crt"]],
  ["app,app==two", ["b"]]
] as const)("labels selected by %s", ([selector, expected]) =>
  Effect.gen(function* () {
    yield* kube("POST", maps, { json: labelled("a", "one") })
    yield* kube("POST", maps, { json: labelled("b", "two") })
    yield* kube("POST", maps, { json: configMap("c") })
    const found = yield* kube("GET", `${maps}?labelSelector=${encodeURIComponent(selector)}`)
    assert.deepStrictEqual(
      found.json.items.map((_: { metadata: { name: string } }) => _.metadata.name),
      [...expected]
    )
    assert.strictEqual((yield* kube("GET", `${maps}?labelSelector=${encodeURIComponent("a b")}`)).status, 400)
  }).pipe(Effect.provide(Memory))
)

it.effect("a table is answered to a terminal client", () =>
  Effect.gen(function* () {
    yield* kube("POST", `${v1}/pods`, { json: podOf("web") })
    yield* TestClock.adjust("150 seconds")
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
    const { json } = yield* kube("GET", `${v1}/pods`, { headers: { accept } })
    const shown = json.columnDefinitions.filter((_: { priority: number }) => _.priority === 0)
    assert.deepStrictEqual(
      [json.kind, shown.map((_: { name: string }) => _.name), json.rows[0].cells.slice(0, 5), json.rows[0].object.kind],
      [
        "Table",
        ["Name", "Ready", "Status", "Restarts", "Age"],
        ["web", "1/1", "Running", 0, "2m30s"],
        "PartialObjectMetadata"
      ]
    )
  }).pipe(Effect.provide(Memory))
)

it.effect("a log has the container's output, and is followed until the pod is removed", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const source = { namespace: "default", pod: "web", container: "app" }
    const write = (text: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => writeLog(world.kubernetes, source, text, now))
    const log = (query: string) => kube("GET", `${v1}/pods/web/log${query}`)
    yield* kube("POST", `${v1}/pods`, { json: podOf("web") })
    const early = yield* log("")
    assert.deepStrictEqual(
      [early.status, early.json.message],
      [400, 'container "app" in pod "web" is waiting to start: ContainerCreating']
    )
    yield* TestClock.adjust("2 seconds")
    yield* write("one\ntwo\n")
    yield* TestClock.adjust("10 seconds")
    yield* write("three")
    assert.deepStrictEqual([(yield* log("")).body, (yield* log("?tailLines=1")).body], ["one\ntwo\nthree\n", "three\n"])
    assert.strictEqual((yield* log("?sinceSeconds=5&timestamps=true")).body, "1970-01-01T00:00:12.000000000Z three\n")
    assert.strictEqual((yield* log("?container=none")).json.message, "container none is not valid for pod web")
    const seen = yield* followed(`${v1}/pods/web/log?follow=true&tailLines=1`)
    yield* write("four")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(seen, { text: "three\nfour\n", over: false })
    yield* kube("DELETE", `${v1}/pods/web`)
    yield* TestClock.adjust("1 milli")
    yield* TestClock.adjust("1 second")
    assert.isTrue(seen.over)
    assert.deepStrictEqual(world.kubernetes.logs, {})
  }).pipe(Effect.provide(Memory))
)

it.effect("an in-process client reads a watch too, which ends when it disconnects", () =>
  Effect.gen(function* () {
    const { world } = yield* SimulatedCloud
    const response = yield* HttpClient.execute(
      HttpClientRequest.get(`${transport.memoryUrl}/kubernetes${maps}?watch=true`, { headers: headersOf({}) })
    )
    const reader = yield* Effect.forkChild(
      Stream.runForEach(response.stream, () => Effect.void),
      { startImmediately: true }
    )
    yield* TestClock.adjust("1 second")
    assert.strictEqual(followers(world.kubernetes), 1)
    yield* Fiber.interrupt(reader)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(followers(world.kubernetes), 0)
  }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(transport.layer, Memory)))
)
