import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Effect, Layer } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { textOf } from "../processes/Document.ts"
import { part, RealCluster } from "./RealCluster.ts"

const page = "docs/operators/kubernetes.md"

/** What the page tells operators to apply: the gateway's account, administrators' rights, and a role for databases. */
const manifests = [...textOf(page).matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block = ""]) => block).join("---\n")

/** As the simulated cluster has it. Nothing provisions volumes. */
const storageClass = JSON.stringify({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "rbd", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "rbd.csi.ceph.com",
  allowVolumeExpansion: true
})

/** The kinds of the operators behind managed databases and exposures. */
const kinds = () =>
  readdirSync(join(part, "kinds")).map((name) => readFileSync(join(part, "kinds", name), "utf8").replace(/^---\n/, ""))

/** A token of the account that the page makes. */
export const accountToken = Effect.flatMap(RealCluster, ({ administered }) =>
  Effect.map(administered(["create", "token", "portico-gateway", "--namespace=portico"]), (_) => _.trim())
)

/** What a gateway is told of the real cluster. */
const settings = Effect.gen(function* () {
  const { administered, ca, eventually, kubectl, url } = yield* RealCluster
  yield* administered(["apply", "--server-side", "--filename=-"], kinds().join("\n---\n"))
  yield* administered(["apply", "--filename=-"], manifests)
  yield* administered(["apply", "--filename=-"], storageClass)
  yield* administered(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"])
  const names = (yield* administered(["get", "crd", "--output=name"])).trim().split("\n")
  // A kind is established before it can be listed.
  const listed = names.map((_) => _.replace(/^.*\//, "")).join(",")
  const all = kubectl(["get", listed, "--all-namespaces"])
  yield* eventually(Effect.flatMap(all, (_) => (_.code === 0 ? Effect.void : Effect.fail(_.err)))).pipe(Effect.orDie)
  return {
    ...gatewaySettings((yield* Server).url),
    KUBERNETES_URL: url,
    KUBERNETES_TOKEN: yield* accountToken,
    KUBERNETES_CA_FILE: ca
  }
})

/** A gateway with the rights of the page in front of a real cluster; everything else of the cloud is simulated. */
export const OnRealCluster = Cast.made.pipe(
  Layer.provideMerge(TestGateway.layerOf(settings)),
  Layer.provideMerge(Layer.mergeAll(RealCluster.layer, TestGateway.cloud))
)
