/** The first path segment after /v1/iaas. */
export const iaasServices = [
  "identity",
  "compute",
  "network",
  "volume",
  "image",
  "dns",
  "load-balancer",
  "key-manager"
] as const
export type IaasService = (typeof iaasServices)[number]
