import { balancing } from "./balancing.ts"
import { compute } from "./compute.ts"
import { dns } from "./dns.ts"
import { identity } from "./identity.ts"
import { image } from "./image.ts"
import type { KindOf } from "./Kind.ts"
import { network } from "./network.ts"
import { secretStore } from "./secrets.ts"
import { volume } from "./volume.ts"

/** Everything that a tenant can have on the platform, by service. */
export const kinds: Readonly<Record<string, Readonly<Record<string, KindOf>>>> = {
  compute,
  volume,
  network,
  image,
  dns,
  "load-balancer": balancing,
  "key-manager": secretStore,
  identity
}
