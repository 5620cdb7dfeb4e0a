import { Context, Deferred, Effect, Layer, Schema } from "effect"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { connect } from "node:tls"
import { dirname, join } from "node:path"
import { Agent, request } from "undici"
import { freePort } from "../limits/redis.ts"
import { folder, serving } from "../parts/parts.ts"
import { type Child, eventually } from "../processes/children.ts"
import { started, type Surroundings } from "./container.ts"
import { type Container, Pod, type Volume } from "./Pod.ts"
import { administrator, part, RealCluster } from "./RealCluster.ts"
import { Sandboxes } from "./Sandboxes.ts"

const name = "here"

/** How long a container that ended stays so. A kubelet waits ten seconds, and longer each time. */
const backOff = "2 seconds"

type Source = NonNullable<Volume["projected"]>["sources"][number]

const start = Effect.gen(function* () {
  const { administered, ca, config, key, url } = yield* RealCluster
  const { address, sandbox } = yield* Sandboxes
  const { at } = yield* folder
  const dispatcher = new Agent({ connect: { ca: readFileSync(ca) } })
  yield* Effect.addFinalizer(() => Effect.promise(() => dispatcher.close()))

  const api = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    return yield* Effect.promise(async () => {
      const answer = await request(`${url}${path}`, {
        method,
        dispatcher,
        headers: {
          authorization: `Bearer ${administrator}`,
          "content-type": method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json"
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: answer.statusCode, body: await answer.body.text() }
    })
  })
  const read = Effect.fnUntraced(function* (path: string) {
    const { body, status } = yield* api("GET", path)
    return yield* status === 200 ? Effect.succeed(JSON.parse(body)) : Effect.fail(body)
  })
  /** The values of a ConfigMap or a Secret. It waits for one that is not there, as a pod does. */
  const dataOf = (namespace: string, kind: "configmaps" | "secrets", name: string) =>
    eventually(read(`/api/v1/namespaces/${namespace}/${kind}/${name}`)).pipe(
      Effect.map(({ data = {} }: { readonly data?: Readonly<Record<string, string>> }) =>
        Object.entries(data).map(
          ([key, value]) => [key, kind === "secrets" ? Buffer.from(value, "base64").toString() : value] as const
        )
      ),
      Effect.orDie
    )

  const filesOf = Effect.fnUntraced(function* ({ metadata, spec }: Pod, source: Source) {
    const { configMap, serviceAccountToken: token } = source
    if (configMap !== undefined) return yield* dataOf(metadata.namespace, "configmaps", configMap.name)
    if (token === undefined) return [["namespace", metadata.namespace]] as const
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: metadata.name, uid: metadata.uid }
    const accounts = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts`
    const { body } = yield* api("POST", `${accounts}/${spec.serviceAccountName}/token`, {
      spec: { expirationSeconds: token.expirationSeconds, boundObjectRef }
    })
    return [[token.path, String(JSON.parse(body).status.token)]] as const
  })

  const volumesOf = Effect.fnUntraced(function* (pod: Pod, home: string) {
    const folders = new Map<string, string>()
    for (const { configMap, emptyDir, name, projected, secret } of pod.spec.volumes ?? []) {
      const { namespace } = pod.metadata
      const path = join(home, "volumes", name)
      mkdirSync(path, { recursive: true })
      // In place of the pod's fsGroup.
      if (emptyDir !== undefined) chmodSync(path, 0o777)
      const files = [
        ...(secret === undefined ? [] : yield* dataOf(namespace, "secrets", secret.secretName)),
        ...(configMap === undefined ? [] : yield* dataOf(namespace, "configmaps", configMap.name)),
        ...(yield* Effect.forEach(projected?.sources ?? [], (_) => filesOf(pod, _))).flat()
      ]
      for (const [file, text] of files) {
        mkdirSync(dirname(join(path, file)), { recursive: true })
        writeFileSync(join(path, file), text)
      }
      folders.set(name, path)
    }
    return folders
  })

  const settingsOf = Effect.fnUntraced(function* ({ metadata }: Pod, { env = [], envFrom = [] }: Container) {
    const sources = yield* Effect.forEach(envFrom, ({ configMapRef, secretRef }) =>
      configMapRef === undefined
        ? dataOf(metadata.namespace, "secrets", secretRef?.name ?? "")
        : dataOf(metadata.namespace, "configmaps", configMapRef.name)
    )
    return Object.fromEntries([...sources.flat(), ...env.map((_) => [_.name, _.value] as const)])
  })

  /** What each container of a pod has said, by the pod's and its own name. */
  const logs = new Map<string, () => string>()

  const run = Effect.fnUntraced(function* (pod: Pod, deleted: Deferred.Deferred<number>) {
    const { metadata, spec } = pod
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`
    const network = yield* sandbox
    const home = at(metadata.uid)
    mkdirSync(home)
    const volumes = yield* volumesOf(pod, home)

    const states = new Map<string, { state: object; restartCount: number; ready: boolean; started: boolean }>()
    const stateOf = ({ name }: Container) =>
      states.get(name) ?? {
        state: { waiting: { reason: "PodInitializing" } },
        restartCount: 0,
        ready: false,
        started: false
      }
    let phase = "Pending"
    let initialized = false
    const report = Effect.suspend(() => {
      const ready = phase === "Running" && spec.containers.every((_) => stateOf(_).ready)
      const shown = (_: Container) => ({ ...stateOf(_), name: _.name, image: _.image, imageID: _.image })
      return api("PATCH", `${path}/status`, {
        status: {
          phase,
          hostIP: address,
          podIP: network.address,
          podIPs: [{ ip: network.address }],
          conditions: [
            ["Initialized", initialized],
            ["ContainersReady", ready],
            ["Ready", ready]
          ].map(([type, is]) => ({ type, status: is === true ? "True" : "False" })),
          initContainerStatuses: (spec.initContainers ?? []).map(shown),
          containerStatuses: spec.containers.map(shown)
        }
      })
    })
    const set = (container: Container, more: Partial<ReturnType<typeof stateOf>>) =>
      Effect.andThen(
        Effect.sync(() => states.set(container.name, { ...stateOf(container), ...more })),
        report
      )

    const surroundings = Effect.fnUntraced(function* (container: Container, root: string) {
      mkdirSync(join(home, root), { recursive: true })
      const settings = yield* settingsOf(pod, container)
      return {
        pod,
        network: network.name,
        root: join(home, root),
        host: address,
        settings,
        volumes
      } satisfies Surroundings
    })

    /** Asks until the answer is the wanted one as often as it has to be, and again from then on. */
    const probed = Effect.fnUntraced(function* (container: Container, child: Child) {
      for (const probe of [container.startupProbe, container.readinessProbe]) {
        if (probe === undefined) continue
        const { path, port, scheme = "HTTP" } = probe.httpGet
        const number = container.ports?.find((_) => _.name === port)?.containerPort ?? port
        const asked = answered(`${scheme.toLowerCase()}://${network.address}:${number}${path}`, probe.timeoutSeconds)
        let failures = 0
        for (;;) {
          const isGood = yield* asked
          failures = isGood ? 0 : failures + 1
          if (probe === container.startupProbe) {
            if (isGood) break
            if (failures === probe.failureThreshold) yield* child.signal("SIGKILL")
          } else if (isGood !== stateOf(container).ready && (isGood || failures >= probe.failureThreshold)) {
            yield* set(container, { ready: isGood })
          }
          yield* Effect.sleep(probe.periodSeconds * 1000)
        }
        yield* set(container, { started: true })
      }
    })

    const ended = Effect.fnUntraced(function* (container: Container, child: Child) {
      const grace = yield* Deferred.await(deleted)
      const { preStop } = container.lifecycle ?? {}
      const stop = Effect.gen(function* () {
        if (preStop !== undefined) {
          const beside = yield* started(container, yield* surroundings(container, "preStop"), preStop.exec.command)
          yield* beside.ended
        }
        yield* child.signal("SIGTERM")
        return yield* child.ended
      })
      return yield* Effect.timeoutOrElse(stop, {
        duration: grace * 1000,
        orElse: () => Effect.andThen(child.signal("SIGKILL"), child.ended)
      })
    })

    /** One life of a container. */
    const life = Effect.fnUntraced(function* (container: Container, isInit: boolean) {
      const child = yield* started(container, yield* surroundings(container, container.name))
      logs.set(`${metadata.namespace}/${metadata.name}/${container.name}`, () => child.stdout() + child.stderr())
      yield* set(container, { state: { running: {} }, ready: !isInit && container.readinessProbe === undefined })
      yield* Effect.forkScoped(probed(container, child))
      const code = yield* Effect.raceFirst(child.ended, ended(container, child))
      const exitCode = typeof code === "number" ? code : 137
      const terminated = { exitCode, reason: exitCode === 0 ? "Completed" : "Error" }
      yield* set(container, { state: { terminated }, ready: isInit && exitCode === 0, started: false })
      return exitCode
    }, Effect.scoped)

    const lives = Effect.fnUntraced(function* (container: Container, isInit: boolean) {
      for (;;) {
        const code = yield* life(container, isInit)
        const isOver = code === 0 ? isInit || spec.restartPolicy !== "Always" : spec.restartPolicy === "Never"
        if (isOver || (yield* Deferred.isDone(deleted))) return code
        const waiting = { reason: "CrashLoopBackOff", message: `it ended with ${code}` }
        yield* set(container, { state: { waiting }, restartCount: stateOf(container).restartCount + 1 })
        yield* Effect.raceFirst(Effect.sleep(backOff), Deferred.await(deleted))
        if (yield* Deferred.isDone(deleted)) return code
      }
    })

    yield* report
    const whole = Effect.gen(function* () {
      for (const container of spec.initContainers ?? []) {
        const code = yield* lives(container, true)
        if (code !== 0 || (yield* Deferred.isDone(deleted))) return "Failed"
      }
      initialized = true
      phase = "Running"
      const codes = yield* Effect.forEach(spec.containers, (_) => lives(_, false), { concurrency: "unbounded" })
      return codes.every((_) => _ === 0) ? "Succeeded" : "Failed"
    })
    phase = yield* whole
    yield* report
    yield* Deferred.await(deleted)
    yield* api("DELETE", path, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } })
  }, Effect.scoped)

  // What the API server asks for `kubectl logs`: /containerLogs/{namespace}/{pod}/{container}.
  const port = yield* freePort
  const server = createServer({ cert: readFileSync(ca), key: readFileSync(key) }, ({ url = "" }, answer) => {
    const { pathname, searchParams } = new URL(url, "https://node")
    const said = logs.get(pathname.replace("/containerLogs/", ""))?.()
    const last = searchParams.get("tailLines")
    if (said === undefined) return void answer.writeHead(404).end()
    answer.end(
      last === null
        ? said
        : said
            .split("\n")
            .slice(-1 - Number(last))
            .join("\n")
    )
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(port, address, () => resume(Effect.void))),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

  yield* administered(
    ["create", "--filename=-"],
    JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name } })
  )
  const heartbeat = api("PATCH", `/api/v1/nodes/${name}/status`, {
    status: {
      addresses: [{ type: "InternalIP", address }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      capacity: { cpu: "64", memory: "256Gi", pods: "110" },
      allocatable: { cpu: "64", memory: "256Gi", pods: "110" }
    }
  })
  const ready = Effect.suspend(() =>
    api("PATCH", `/api/v1/nodes/${name}/status`, {
      status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: new Date().toISOString() }] }
    })
  )
  yield* heartbeat
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(ready, Effect.sleep("10 seconds"))))

  const scheduler = yield* freePort
  yield* serving(
    [
      `${part}/kubernetes`,
      "kube-scheduler",
      `--kubeconfig=${config}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${scheduler}`,
      `--cert-dir=${at("scheduler")}`
    ],
    () => listens(scheduler)
  )

  const Listed = Schema.Struct({ items: Schema.Array(Pod) })
  const known = new Map<string, Deferred.Deferred<number>>()
  const look = Effect.gen(function* () {
    const list = yield* read(`/api/v1/pods?fieldSelector=spec.nodeName=${name}`)
    const { items } = yield* Schema.decodeUnknownEffect(Listed)(list)
    for (const pod of items) {
      const { deletionGracePeriodSeconds = 0, deletionTimestamp, uid } = pod.metadata
      const deleted = known.get(uid) ?? (yield* Deferred.make<number>())
      if (!known.has(uid)) {
        known.set(uid, deleted)
        yield* Effect.forkScoped(Effect.tapCause(run(pod, deleted), (_) => Effect.logError("the pod is lost", _)))
      }
      if (deletionTimestamp !== undefined) yield* Deferred.succeed(deleted, deletionGracePeriodSeconds)
    }
  })
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.tapCause(look, (_) => Effect.logError("the node cannot look", _)),
        Effect.sleep("200 millis")
      )
    )
  )
  return { logs }
})

const answered = (url: string, timeoutSeconds: number) =>
  Effect.tryPromise((signal) =>
    // A kubelet does not look at who signed the certificate either.
    request(url, { signal, dispatcher: unverified, headersTimeout: timeoutSeconds * 1000 })
  ).pipe(
    Effect.flatMap((_) =>
      Effect.as(
        Effect.promise(() => _.body.dump()),
        _.statusCode < 400
      )
    ),
    Effect.orElseSucceed(() => false)
  )

const unverified = new Agent({ connect: { rejectUnauthorized: false }, pipelining: 0 })

const listens = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      socket.end()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
  })

/**
 * A node of the {@link RealCluster} that runs Portico's image: each pod has a network of its own, and its containers are
 * processes of this machine in it, which see the repository as the image and the pod's volumes. It does what the story
 * of the installation needs of a kubelet, and no more: init containers, restarts, start and readiness probes by HTTP,
 * preStop commands, SIGTERM and the grace period, and `kubectl logs`. It pulls no images, limits no resources, enforces
 * no NetworkPolicy, and asks no liveness probe; Services have no addresses, but for that of the API server.
 */
export class Node extends Context.Service<Node, Effect.Success<typeof start>>()("portico/gateway/test/Node") {
  static readonly layer = Layer.effect(Node, start).pipe(
    Layer.provideMerge(
      Layer.unwrap(Effect.map(Sandboxes, (_) => RealCluster.layerAt({ address: _.address, port: 443 })))
    ),
    Layer.provideMerge(Sandboxes.layer)
  )
}
