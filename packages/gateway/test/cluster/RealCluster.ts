import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { certificateIn, execute, type Run } from "../harness/Tls.ts"
import { freePort } from "../limits/redis.ts"
import { answers, folder, serving } from "../parts/parts.ts"
import { eventually } from "../processes/children.ts"

/** Where scripts/parts/kubernetes.sh puts the control plane, and the definitions of the operators' kinds. */
export const part = "/opt/portico-parts/kubernetes"

/** Where scripts/parts/charts.sh puts kubectl. */
const charts = "/opt/portico-parts/charts"

export const isHere = existsSync(`${part}/stamp`) && existsSync(`${charts}/kubectl`)

export const title = (told: string): string =>
  isHere ? told : `${told}: NOT RUN, scripts/parts/kubernetes.sh OR charts.sh HAS NOT RUN`

if (!isHere) console.warn(`${part} is not installed: nothing of what a real API server does here is tried`)

/** The issuer of the cluster's tokens. */
export const issuer = "https://cluster.acme.example"

/** Whose token the first calls have: no account of the cluster is there before. */
export const administrator = "administrator-of-the-cluster"

const kubeconfig = (server: string, ca: string, token: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "here", cluster: { server, "certificate-authority": ca } }],
    users: [{ name: "me", user: { token } }],
    contexts: [{ name: "here", context: { cluster: "here", user: "me" } }],
    "current-context": "here"
  })

/** Where its API server listens: on a port of the loopback address, or where pods reach it. */
export interface Place {
  readonly address: string
  readonly port: number
}

const start = Effect.fnUntraced(function* (place?: Place) {
  const { at, write } = yield* folder
  const address = place?.address ?? "127.0.0.1"
  const ports = {
    etcd: yield* freePort,
    peers: yield* freePort,
    api: place?.port ?? (yield* freePort),
    controllers: yield* freePort
  }
  const made = yield* execute("openssl", ["genrsa", "-out", at("accounts.pem"), "2048"])
  assert.strictEqual(made.code, 0, made.err)
  const { cert, key } = yield* certificateIn(at, `IP:${address}`, "DNS:kubernetes.default.svc")
  const url = `https://${address}:${ports.api}`
  const config = write("config", kubeconfig(url, cert, administrator))
  const kubectl = (args: ReadonlyArray<string>, input?: string): Effect.Effect<Run> =>
    execute(`${charts}/kubectl`, [`--kubeconfig=${config}`, `--cache-dir=${at("cache")}`, ...args], input)

  const etcd = `http://127.0.0.1:${ports.etcd}`
  yield* serving(
    [
      `${part}/kubernetes`,
      "etcd",
      `--data-dir=${at("etcd")}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${ports.peers}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${ports.peers}`,
      `--initial-cluster=default=http://127.0.0.1:${ports.peers}`,
      "--unsafe-no-fsync",
      "--log-level=error"
    ],
    () => answers(`${etcd}/health`, 200)
  )
  yield* serving(
    [
      `${part}/kubernetes`,
      "kube-apiserver",
      `--etcd-servers=${etcd}`,
      `--bind-address=${address}`,
      `--advertise-address=${address}`,
      "--kubelet-preferred-address-types=InternalIP",
      `--secure-port=${ports.api}`,
      `--tls-cert-file=${cert}`,
      `--tls-private-key-file=${key}`,
      `--token-auth-file=${write("tokens.csv", `${administrator},admin,admin,system:masters\n`)}`,
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=DenyServiceExternalIPs",
      "--service-cluster-ip-range=10.96.0.0/16",
      `--service-account-issuer=${issuer}`,
      `--service-account-key-file=${at("accounts.pem")}`,
      `--service-account-signing-key-file=${at("accounts.pem")}`,
      `--service-account-jwks-uri=${url}/openid/v1/jwks`,
      "--allow-privileged=true"
    ],
    () => Effect.map(kubectl(["get", "--raw", "/readyz"]), (_) => _.code === 0)
  )
  yield* serving(
    [
      `${part}/kubernetes`,
      "kube-controller-manager",
      `--kubeconfig=${config}`,
      `--service-account-private-key-file=${at("accounts.pem")}`,
      `--root-ca-file=${cert}`,
      "--use-service-account-credentials",
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${ports.controllers}`,
      `--cert-dir=${at("controllers")}`
    ],
    () => Effect.map(kubectl(["get", "serviceaccount", "default"]), (_) => _.code === 0)
  )

  /** What kubectl says to the administrator. Dies with its words when it fails. */
  const administered = Effect.fnUntraced(function* (args: ReadonlyArray<string>, input?: string) {
    const { code, err, out } = yield* kubectl(args, input)
    assert.strictEqual(code, 0, `kubectl ${args.join(" ")}: ${err}`)
    return out
  })
  /** The object, as it is stored. */
  const stored = (...args: ReadonlyArray<string>) =>
    Effect.map(administered(["get", ...args, "--output=json"]), (_) => JSON.parse(_))

  return {
    url,
    /** The authority of its certificate, as a file; and the key. */
    ca: cert,
    key,
    /** The administrator's configuration, as a file. */
    config,
    kubectl,
    administered,
    stored,
    /** Waits until the kinds that were defined can be used. kubectl fails for one that nobody has looked at yet. */
    established: Effect.orDie(
      eventually(
        Effect.flatMap(
          kubectl(["wait", "--for=condition=Established", "customresourcedefinitions", "--all", "--timeout=30s"]),
          ({ code, err }) => (code === 0 ? Effect.void : Effect.fail(err))
        )
      )
    ),
    apply: (manifest: string) => administered(["apply", "--filename=-"], manifest),
    /** A configuration for another token, as a file. */
    configOf: (name: string, token: string) => Effect.sync(() => write(name, kubeconfig(url, cert, token))),
    eventually
  }
})

/**
 * The control plane of a stock Kubernetes: etcd, the API server with RBAC and the stock admission plug-ins, and the
 * controllers. It has no nodes: pods stay pending, unless a Node is beside it.
 */
export class RealCluster extends Context.Service<RealCluster, Effect.Success<ReturnType<typeof start>>>()(
  "portico/gateway/test/RealCluster"
) {
  static readonly layer = Layer.effect(RealCluster, start())
  static readonly layerAt = (place: Place) => Layer.effect(RealCluster, start(place))
}
