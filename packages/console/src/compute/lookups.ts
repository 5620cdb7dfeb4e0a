import * as v from "valibot"
import { listOf, text, withQuery } from "../platform/lists.ts"
import { usePlatform } from "../platform/usePlatform.ts"
import { Flavor, KeyPair } from "./server.ts"

const Named = v.object({ id: v.string(), name: text })

const Image = v.object({ id: v.string(), name: text, status: text, min_disk: v.nullish(v.number()) })

const Network = v.object({ id: v.string(), name: text, "router:external": v.optional(v.boolean(), false) })

const images = listOf("images", Image)
const flavors = listOf("flavors", Flavor)
const keyPairs = listOf("keypairs", KeyPair)
const networks = listOf("networks", Network)
const groups = listOf("security_groups", Named)

/** All flavors, smallest first. */
export const useFlavors = () => {
  const answer = usePlatform(flavors, "compute/flavors/detail")
  return { ...answer, data: answer.data?.toSorted((a, b) => a.vcpus - b.vcpus || a.ram - b.ram) }
}

/** Images that a server can be made of. */
export const useImages = () => usePlatform(images, withQuery("image/images", { limit: "500", sort: "name:asc" }))

export const useKeyPairs = () => usePlatform(keyPairs, "compute/os-keypairs")

export const useNetworks = () => usePlatform(networks, "network/networks")

export const useGroups = () => usePlatform(groups, "network/security-groups")
