import { createHash } from "node:crypto"
import { entry } from "../Json.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import { kindsOf } from "./customResources.ts"
import { apiVersionOf, builtIns, type Kind } from "./kinds.ts"
import { openapiV2, openapiV3 } from "./openapi.ts"
import type { KubernetesState } from "./state.ts"
import { failure, noSuchPath, plainText } from "./status.ts"
import { keySet } from "./issuer.ts"

export const gitVersion = "v1.34.3"

const version = {
  major: "1",
  minor: "34",
  emulationMajor: "1",
  emulationMinor: "34",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "33",
  gitVersion,
  gitCommit: "a51b3b711150f57ffc1f526a640ec058514ed596",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "go1.24.11",
  compiler: "gc",
  platform: "linux/amd64"
}

const verbsOf = (kind: Kind): ReadonlyArray<string> =>
  kind.plural === "namespaces" && kind.group === ""
    ? ["create", "delete", "get", "list", "patch", "update", "watch"]
    : kind.custom
      ? ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
      : kind.stored
        ? ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
        : ["create"]

/** The kinds of a sub-resource's request and answer, where they differ from the kind itself. */
const subresourceKinds: Readonly<
  Record<string, readonly [group: string, version: string, kind: string, verbs: string]>
> = {
  scale: ["autoscaling", "v1", "Scale", "get patch update"],
  token: ["authentication.k8s.io", "v1", "TokenRequest", "create"],
  eviction: ["policy", "v1", "Eviction", "create"]
}

const ownVerbs: Readonly<Record<string, string>> = {
  status: "get patch update",
  finalize: "update",
  log: "get",
  exec: "create get",
  attach: "create get",
  portforward: "create get",
  proxy: "create delete get patch update"
}

const optionKinds: Readonly<Record<string, string>> = {
  exec: "PodExecOptions",
  attach: "PodAttachOptions",
  portforward: "PodPortForwardOptions"
}

/** A hash of the type that is stored: clients learn from it that the storage has moved. */
const storageHash = (kind: Kind): string =>
  createHash("sha256").update(`${kind.group}/${kind.version}/${kind.kind}`).digest().subarray(0, 8).toString("base64")

interface Discovered {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  readonly verbs: ReadonlyArray<string>
  readonly group?: string
  readonly version?: string
}

const resourcesOf = (kind: Kind): ReadonlyArray<Discovered> => [
  {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(kind.stored ? { storageVersionHash: storageHash(kind) } : {})
  },
  ...kind.subresources.map((_) => {
    const [group, version, other, verbs] = subresourceKinds[_] ?? []
    const proxyKind = _ === "proxy" ? `${kind.kind}ProxyOptions` : undefined
    return {
      name: `${kind.plural}/${_}`,
      singularName: "",
      namespaced: kind.namespaced,
      ...(group === undefined || version === undefined ? {} : { group, version }),
      kind: other ?? optionKinds[_] ?? proxyKind ?? kind.kind,
      verbs: (verbs ?? ownVerbs[_] ?? "").split(" ")
    }
  })
]

/** The versions of every group but the core one; the first is preferred. */
const groupsOf = (state: KubernetesState) => {
  const all = Map.groupBy(
    kindsOf(state).filter((_) => _.group !== ""),
    (_) => _.group
  )
  return [...all].map(([name, kinds]) => {
    const versions = [...new Set(kinds.map((_) => _.version))].map((version) => ({
      groupVersion: `${name}/${version}`,
      version
    }))
    return { name, versions, preferredVersion: versions[0] }
  })
}

const address = { serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "192.0.2.1:6443" }] }

const noSuchVersion = failure(404, "NotFound", "the server could not find the requested resource", {})

const resourceList = (state: KubernetesState, groupVersion: string): Answer => {
  const kinds = kindsOf(state).filter((_) => apiVersionOf(_) === groupVersion)
  const [group = ""] = groupVersion.split("/")
  if (kinds.length === 0) return builtIns.some((_) => _.group === group) ? noSuchVersion : noSuchPath
  const resources = kinds.flatMap(resourcesOf).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const version = group === groupVersion ? {} : { apiVersion: "v1" }
  return json(200, { kind: "APIResourceList", ...version, groupVersion, resources })
}

const groupList = (state: KubernetesState, name: string): Answer => {
  const group = groupsOf(state).find((_) => _.name === name)
  return group === undefined ? noSuchPath : json(200, { kind: "APIGroup", apiVersion: "v1", ...group })
}

/** The keys are public and change rarely. */
const cached = { "cache-control": "public, max-age=3600" }

const fixed: Readonly<Record<string, (incoming: Incoming) => Answer>> = {
  "/api": () => json(200, { kind: "APIVersions", versions: ["v1"], ...address }),
  "/apis": ({ world }) => json(200, { kind: "APIGroupList", apiVersion: "v1", groups: groupsOf(world.kubernetes) }),
  "/version": () => json(200, version),
  "/healthz": () => plainText(200, "ok"),
  "/livez": () => plainText(200, "ok"),
  "/readyz": () => plainText(200, "ok"),
  "/openapi/v2": openapiV2,
  "/openapi/v3": openapiV3,
  "/openid/v1/jwks": ({ world }) =>
    json(200, keySet(world.kubernetes), { "content-type": "application/jwk-set+json", ...cached }),
  "/.well-known/openid-configuration": ({ world: { kubernetes } }) =>
    json(
      200,
      {
        issuer: kubernetes.tokenIssuer.issuer,
        jwks_uri: kubernetes.tokenIssuer.jwksUri,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"]
      },
      cached
    ),
  "/": () =>
    json(200, { paths: ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"] })
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/** Everything that the groups have, in one answer. */
const allGroups = (state: KubernetesState, isCore: boolean): Answer => {
  const kinds = kindsOf(state).filter((_) => (_.group === "") === isCore)
  const items = [...Map.groupBy(kinds, (_) => _.group)].map(([name, all]) => ({
    metadata: name === "" ? {} : { name },
    versions: [...Map.groupBy(all, (_) => _.version)].map(([version, own]) => ({
      version,
      resources: own.map(discovered).toSorted((a, b) => (a.resource < b.resource ? -1 : 1)),
      freshness: "Current"
    }))
  }))
  return json(
    200,
    { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items },
    { "content-type": aggregated }
  )
}

/** A kind is named without its group where it is the resource's own. */
const kindIn = ({ group = "", kind, version = "" }: Discovered) => ({ group, version, kind })

const discovered = (kind: Kind) => {
  const [own, ...below] = resourcesOf(kind)
  const subresources = below
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((_) => ({ subresource: _.name.split("/")[1] ?? "", responseKind: kindIn(_), verbs: _.verbs }))
  return {
    resource: kind.plural,
    responseKind: { group: "", version: "", kind: kind.kind },
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: own?.verbs ?? [],
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(subresources.length === 0 ? {} : { subresources })
  }
}

/** Paths without a resource: discovery, versions and health. */
export const discover = (incoming: Incoming): Answer => {
  const path = incoming.path.replace(/(.)\/$/, "$1")
  const wanted = (incoming.headers["accept"] ?? "").split(",").map((_) => _.split(";").map((part) => part.trim()))
  const isAggregated = wanted.some(
    (_) => _[0] === "application/json" && _.includes("g=apidiscovery.k8s.io") && _.includes("v=v2")
  )
  if (isAggregated && (path === "/api" || path === "/apis"))
    return allGroups(incoming.world.kubernetes, path === "/api")
  const found = entry(fixed, path)
  if (found !== undefined) return found(incoming)
  const [, root, group = "", version] = path.split("/")
  const state = incoming.world.kubernetes
  if (root === "api" && version === undefined) return resourceList(state, group)
  if (root !== "apis") return noSuchPath
  return version === undefined ? groupList(state, group) : resourceList(state, `${group}/${version}`)
}
