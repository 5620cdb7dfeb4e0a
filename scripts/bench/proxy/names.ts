// Tokens, users and projects are numbered, so that every process of the benchmark knows what belongs together.

/** A personal access token of the length that the identity provider's have. */
export const tokenOf = (number: number): string => `bench-${number}-`.padEnd(71, "x")

/** The number of a token; undefined for one that is not of the benchmark. */
export const numberOf = (token: string): number | undefined => {
  const digits = /^bench-(\d+)-x*$/.exec(token)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The user behind a token; {@link fill} spells it the same way in SQL. */
export const userOf = (number: number): string => `2${String(number).padStart(17, "0")}`

/** A tenant's project; {@link fill} spells it the same way in SQL. */
export const projectOf = (number: number): string => number.toString(16).padStart(32, "0")

/** The platform token of a project: as long as a Fernet token, and always the same. */
export const sessionOf = (projectId: string): string => `gAAAAA${projectId}`.padEnd(183, "-")

/** An image whose data has so many bytes. */
export const imageOf = (bytes: number): string => `00000000-0000-4000-8000-${bytes.toString(16).padStart(12, "0")}`

export const bytesOf = (image: string): number => Number.parseInt(image.slice(-12), 16)

/** Where clients find the services, at every contender alike, and where the origin has them. */
export const routes = [
  { public: "/v1/iaas/compute", origin: "/v2.1", setting: "IAAS_COMPUTE_URL" },
  { public: "/v1/iaas/image", origin: "/v2", setting: "IAAS_IMAGE_URL" }
] as const

export const server = "5f3c1f2a-8f0e-4a6b-9d0c-2a4b6c8d0e1f"

export const paths = {
  show: `/v1/iaas/compute/servers/${server}`,
  create: "/v1/iaas/compute/servers",
  metadata: `/v1/iaas/compute/servers/${server}/metadata`,
  echo: "/v1/iaas/compute/servers/echo",
  images: "/v1/iaas/image/images?limit=10000",
  watch: (tenant: number) => `/v1/kubernetes/api/v1/namespaces/db-${projectOf(tenant)}/configmaps?watch=1`,
  data: (bytes: number) => `/v1/iaas/image/images/${imageOf(bytes)}/file`
}

/** The same path at the origin. */
export const atOrigin = (path: string): string => {
  const route = routes.find((_) => path.startsWith(`${_.public}/`))
  return route === undefined ? path : `${route.origin}${path.slice(route.public.length)}`
}
