import type { Resource } from "./Resource.ts"

/** Failures of the Kubernetes proxy. */
export const kubernetes = {
  BadRequest: {
    /** The gateway must check the same body that the API server reads. */
    clusterBody: {
      code: "cluster_body_ambiguous",
      detail: (why: string) => `The request body can be read in more than one way: ${why}`,
      example: ["it is not readable YAML"],
      cause:
        "A rule has to read the body of this Kubernetes write, and readers differ on it. The body has a name twice " +
        "in one object, YAML with anchors, tags, several documents or scalars that YAML 1.1 and 1.2 read " +
        "differently, or an invalid patch.",
      fix: "Send plain JSON; in YAML put such scalars in quotation marks."
    }
  },
  Forbidden: {
    /** Only for the tenant's own namespace; any other is a 404. */
    clusterNamespace: {
      code: "cluster_namespace_refused",
      detail: "The namespace itself is kept by the platform: it can be read, but neither changed nor deleted",
      cause: "The call would change or delete the tenant's Kubernetes namespace itself.",
      fix: "Delete its contents instead, kind by kind."
    },
    clusterLimits: {
      code: "cluster_limits_refused",
      detail: (resource: string) =>
        `Writing ${resource} is refused: the limits and the access rules of a tenant's namespace are kept by the platform`,
      example: ["roles"],
      cause:
        "The call would write a resource quota, a limit range, a role, a role binding or one of the platform's network policies in the tenant's Kubernetes namespace.",
      fix: "Leave these objects out. A wider limit comes with a higher tier of the tenant."
    },
    clusterToken: {
      code: "cluster_token_refused",
      detail:
        "Tokens of service accounts are not handed out here: they would outlive the credential that asked for them. " +
        "Create a credential under POST /v1/credentials",
      cause:
        "The call would mint a token of a Kubernetes service account, or write a Secret that the cluster fills with one.",
      fix: "Mint a credential under POST /v1/credentials; pods can mount tokens of their own."
    },
    clusterSubresource: {
      code: "cluster_subresource_refused",
      detail: (subresource: string) => `Writing '${subresource}' is refused: only the cluster itself does`,
      example: ["status"],
      cause:
        "The call would write a sub-resource that only the cluster's own controllers write: status, finalize, binding.",
      fix: "Write the object itself."
    },
    /** @param resource `ingresses.networking.k8s.io` */
    clusterKind: {
      code: "cluster_kind_refused",
      detail: (resource: string, why: string) => `Writing ${resource} is refused: ${why}`,
      example: [
        "ingresses.networking.k8s.io",
        "a public host name comes with an exposure, see POST /v1/edge/exposures"
      ],
      cause: "The call would create or change an object of a kind that tenants do not write. `detail` says why.",
      fix: "Use the route that `detail` names; an operator opens further kinds with KUBERNETES_TENANT_RESOURCES."
    },
    /** @param what the refused field or type */
    clusterService: {
      code: "cluster_service_refused",
      detail: (what: string) =>
        `A Service with ${what} is refused: it would lead traffic that is not the tenant's. ` +
        "Leave it of type ClusterIP, and make it public with POST /v1/edge/exposures",
      example: ["spec.externalIPs"],
      cause:
        "The Service would have another type than ClusterIP, external addresses, or ports of the cluster's nodes: traffic that is not the tenant's would reach it.",
      fix: "Leave out the fields that `detail` names, and make the Service public with an exposure."
    },
    clusterEgress: {
      code: "cluster_egress_refused",
      detail:
        "A NetworkPolicy with egress rules is refused: policies add up, and the platform's own lets pods out to the " +
        "tenant's namespace and to public networks already",
      cause:
        "The NetworkPolicy has egress rules. Policies add up, so that it could only open traffic that the " +
        "platform keeps closed.",
      fix: "Leave `spec.egress` out. Policies for ingress are the tenant's own."
    },
    /** The response contains a Secret, whatever the method. */
    clusterSecretOfAgent: {
      code: "cluster_secret_refused",
      detail: "A credential of kind mcp reads no Secret: it can create and replace one, with POST and PUT",
      cause: "A credential of kind mcp asked for a Kubernetes Secret, or for a change whose answer would show one.",
      fix: "Use an api-key or a person's token to read it; an mcp credential of tier 1 can create and replace Secrets."
    }
  },
  NotFound: {
    /** The caller's own. */
    namespaceUnused: {
      code: "namespace_unused",
      detail: (namespace: string) => `The namespace '${namespace}' holds nothing yet: the first write into it makes it`,
      example: ["db-1"],
      cause: "Nothing was ever written into the tenant's Kubernetes namespace, so it does not exist.",
      fix: "Create something in it: the first write makes the namespace with its quota."
    }
  },
  UnsupportedMediaType: {
    /** @param types the types that the API server accepts for the method and the gateway can read */
    clusterBody: {
      code: "cluster_media_type",
      detail: (types: ReadonlyArray<string>) =>
        `The body of this request must have one of these as its Content-Type: ${types.join(", ")}`,
      example: [["application/json", "application/yaml"]],
      cause:
        "A rule has to look into the body of this Kubernetes write (a Service, Secret or NetworkPolicy), and cannot read this media type, or the method does not take it.",
      fix: "Send one of the media types that `detail` lists; application/json always is right for POST and PUT."
    }
  },
  TooManyRequests: {
    clusterStreams: {
      code: "cluster_streams_exhausted",
      detail: (most: number) =>
        `The tenant has ${most} watches, followed logs and upgraded connections open with this replica already; end one first`,
      example: [100],
      cause:
        "The tenant has as many watches, followed logs and upgraded connections to the cluster open with one replica as it may.",
      fix: "End one first."
    },
    clusterStreamsInAll: {
      code: "cluster_streams_full",
      detail: (most: number) =>
        `This replica holds ${most} watches, followed logs and upgraded connections, as many as it can; try again later`,
      example: [2000],
      cause: "One replica of the gateway holds as many watches, followed logs and upgraded connections as it can.",
      fix: "Try again later."
    }
  }
} as const satisfies Resource
