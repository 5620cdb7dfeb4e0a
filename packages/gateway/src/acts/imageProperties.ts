import type { PermissionTier } from "@portico/contract/Access"
import { imageDevices } from "@portico/upstream/nova/imageDevices"
import type { Act, ActMethod, actsOf } from "./Act.ts"
import { isFalsy, membersLike } from "./reading.ts"

/**
 * With these properties Glance deletes the secret that an image is encrypted with when the image is deleted. The second
 * name is that of OpenStack's specification for 2026.1.
 */
const deletes = ["cinder_encryption_key_deletion_policy", "os_encrypt_key_deletion_policy"]
/** With these, services read secrets: the key of an encrypted image, and the certificate that it is signed with. */
const reads = ["cinder_encryption_key_id", "os_encrypt_key_id", "img_signature_certificate_uuid"]

/** The values of a property that a body sets; none for another one. */
type PropertyOf = (body: unknown, name: string) => ReadonlyArray<unknown>

type Constructors = Pick<ReturnType<typeof actsOf>, "gives" | "never" | "on">

const isSetBy = (body: unknown, names: ReadonlyArray<string>, propertyOf: PropertyOf): boolean =>
  names.some((name) => propertyOf(body, name).some((_) => !isFalsy(_)))

/** Writing block devices into an image, which Nova alone does. */
export const onDevicesOf = (
  { never }: Pick<Constructors, "never">,
  path: string,
  section: string,
  methods: ReadonlyArray<ActMethod>,
  propertyOf: PropertyOf
): Act => ({
  ...never(
    path,
    "by the properties bdm_v2, block_device_mapping and mappings a server gets volumes that its request does not name; " +
      "compute alone writes them",
    section,
    methods
  ),
  inBody: (body) => isSetBy(body, imageDevices, propertyOf)
})

/** Acts on the secrets that properties of an image name, where such properties are set. */
export const onSecretsOf = (
  { on }: Pick<Constructors, "on">,
  path: string,
  section: string,
  methods: ReadonlyArray<ActMethod>,
  propertyOf: PropertyOf
): ReadonlyArray<Act> => {
  const by = (tier: PermissionTier, names: ReadonlyArray<string>, why: string) =>
    on({ "key-manager": tier }, path, why, section, methods, (body) => isSetBy(body, names, propertyOf))
  return [by(0, reads, "the image is read with a secret"), by(2, deletes, "a secret is deleted with the image")]
}

/**
 * Labels that become properties of an image that is made with them: another service passes each on by its name, so they
 * set what the image service has a field for, too.
 *
 * @param labelsIn the labels that a body sets
 */
export const labelsOf = (
  constructors: Constructors,
  path: string,
  section: string,
  methods: ReadonlyArray<ActMethod>,
  labelsIn: (body: unknown) => unknown
): ReadonlyArray<Act> => {
  const labelOf: PropertyOf = (body, name) => membersLike(labelsIn(body), name)
  return [
    ...onSecretsOf(constructors, path, section, methods, labelOf),
    onDevicesOf(constructors, path, section, methods, labelOf),
    constructors.gives(path, "other projects see the image", section, methods, (body) =>
      labelOf(body, "visibility").some(isShown)
    )
  ]
}

/** Whether other projects see an image that is made with such a visibility; without one they do not. */
export const isShown = (visibility: unknown): boolean => !isFalsy(visibility) && visibility !== "private"
