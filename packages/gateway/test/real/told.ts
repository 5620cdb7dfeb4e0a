/** What the tests were told of the real cloud. */
export const told = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: is the real cloud up?`)
  return value
}

/** The gateway's settings that name the real services, and the accounts on them. */
const names = [
  "IAAS_IDENTITY_URL",
  "IAAS_COMPUTE_URL",
  "IAAS_NETWORK_URL",
  "IAAS_VOLUME_URL",
  "IAAS_IMAGE_URL",
  "IAAS_LOAD_BALANCER_URL",
  "IAAS_DNS_URL",
  "IAAS_KEY_MANAGER_URL",
  "KEYSTONE_USER",
  "KEYSTONE_PASSWORD",
  "KEYSTONE_PROJECT",
  "RGW_URL",
  "RGW_ACCESS_KEY",
  "RGW_SECRET_KEY"
]

/** As `npm run real-cloud -- env` prints them. */
export const realSettings = (): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, told(name)]))
