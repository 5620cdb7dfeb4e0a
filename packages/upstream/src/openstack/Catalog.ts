import type { IaasService } from "@portico/contract/IaasServices"
import { Config, Context, Effect, Layer, Option } from "effect"
import { baseOf } from "../webAddress.ts"

const variables: Readonly<Record<IaasService, string>> = {
  identity: "IAAS_IDENTITY_URL",
  compute: "IAAS_COMPUTE_URL",
  network: "IAAS_NETWORK_URL",
  volume: "IAAS_VOLUME_URL",
  image: "IAAS_IMAGE_URL",
  dns: "IAAS_DNS_URL",
  "load-balancer": "IAAS_LOAD_BALANCER_URL",
  "key-manager": "IAAS_KEY_MANAGER_URL"
}

/** The version at the end of a base URL. */
const version = /\/v\d+(?:\.\d+)?$/

/**
 * The versioned base URLs of the platform's services, without a trailing slash,
 * e.g. `http://compute.internal:8774/v2.1`. That of the key manager has no
 * version, even when it was given with one: callers write it, and the rules
 * about calls know the paths with it. A cloud may lack dns and key-manager.
 */
export class Catalog extends Context.Service<
  Catalog,
  {
    readonly required: Readonly<Record<Exclude<IaasService, "dns" | "key-manager">, string>>
    /** Undefined for a service that this cloud lacks. */
    find(segment: string): string | undefined
  }
>()("portico/upstream/openstack/Catalog") {
  static readonly layer = Layer.effect(
    Catalog,
    Effect.gen(function* () {
      const base = (service: IaasService) => Effect.map(Config.URL(variables[service]), baseOf)
      const optional = (service: IaasService) =>
        Effect.map(Config.option(Config.URL(variables[service])), (_) => Option.getOrUndefined(Option.map(_, baseOf)))
      const required = {
        identity: yield* base("identity"),
        compute: yield* base("compute"),
        network: yield* base("network"),
        volume: yield* base("volume"),
        image: yield* base("image"),
        "load-balancer": yield* base("load-balancer")
      }
      const all = new Map<string, string | undefined>([
        ...Object.entries(required),
        ["dns", yield* optional("dns")],
        ["key-manager", (yield* optional("key-manager"))?.replace(version, "")]
      ])
      return Catalog.of({ required, find: (segment) => all.get(segment) })
    })
  )
}
