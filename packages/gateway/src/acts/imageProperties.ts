import type { PermissionTier } from "@portico/contract/Access"
import type { Act, ActMethod, actsOf } from "./Act.ts"
import { isFalsy } from "./reading.ts"

/**
 * With these properties Glance deletes the secret that an image is encrypted with when the image is deleted. The second
 * name is that of OpenStack's specification for 2026.1.
 */
const deletes = ["cinder_encryption_key_deletion_policy", "os_encrypt_key_deletion_policy"]
/** With these, services read secrets: the key of an encrypted image, and the certificate that it is signed with. */
const reads = ["cinder_encryption_key_id", "os_encrypt_key_id", "img_signature_certificate_uuid"]

/** The value of a property that a body sets; undefined for another one. */
type PropertyOf = (body: unknown, name: string) => unknown

type Constructors = Pick<ReturnType<typeof actsOf>, "gives" | "on">

/** Acts on the secrets that properties of an image name, where such properties are set. */
export const onSecretsOf = (
  { on }: Pick<Constructors, "on">,
  path: string,
  section: string,
  methods: ReadonlyArray<ActMethod>,
  propertyOf: PropertyOf
): ReadonlyArray<Act> => {
  const by = (tier: PermissionTier, names: ReadonlyArray<string>, why: string) =>
    on({ "key-manager": tier }, path, why, section, methods, (body) =>
      names.some((name) => !isFalsy(propertyOf(body, name)))
    )
  return [by(0, reads, "the image is read with a secret"), by(2, deletes, "a secret is deleted with the image")]
}

/**
 * Labels that become properties of an image that is made with them: another service passes each on by its name, so they
 * set what the image service has a field for, too.
 */
export const labelsOf = (
  constructors: Constructors,
  path: string,
  section: string,
  methods: ReadonlyArray<ActMethod>,
  labelOf: PropertyOf
): ReadonlyArray<Act> => [
  ...onSecretsOf(constructors, path, section, methods, labelOf),
  constructors.gives(path, "other projects see the image", section, methods, (body) =>
    isShown(labelOf(body, "visibility"))
  )
]

/** Whether other projects see an image that is made with such a visibility; without one they do not. */
export const isShown = (visibility: unknown): boolean => !isFalsy(visibility) && visibility !== "private"
