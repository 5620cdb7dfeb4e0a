/** What the form of a new server holds. */
export interface NewServer {
  readonly name: string
  readonly imageId: string
  readonly flavorId: string
  readonly networkId: string
  /** Empty: none. */
  readonly keyName: string
  readonly groups: ReadonlyArray<string>
  readonly disk: "own" | "volume"
  /** GiB, of the volume. */
  readonly size: string
  readonly keepVolume: boolean
  readonly floating: boolean
  readonly userData: string
}

export const emptyServer: NewServer = {
  name: "",
  imageId: "",
  flavorId: "",
  networkId: "",
  keyName: "",
  groups: [],
  disk: "own",
  size: "20",
  keepVolume: false,
  floating: false,
  userData: ""
}

/** Text as base64 of its UTF-8, as compute takes user data. */
export const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (_) => String.fromCharCode(_)).join(""))

/** The disk to boot from: a volume is made of the image, or the server has it on its own disk. */
const diskOf = ({ disk, imageId, keepVolume, size }: NewServer): object =>
  disk === "own"
    ? { imageRef: imageId }
    : {
        block_device_mapping_v2: [
          {
            boot_index: 0,
            uuid: imageId,
            source_type: "image",
            destination_type: "volume",
            volume_size: Number(size),
            delete_on_termination: !keepVolume
          }
        ]
      }

/** The body with which compute makes the server. */
export const bodyOf = (server: NewServer): object => ({
  server: {
    name: server.name,
    flavorRef: server.flavorId,
    ...diskOf(server),
    networks: [{ uuid: server.networkId }],
    ...(server.keyName === "" ? {} : { key_name: server.keyName }),
    ...(server.groups.length === 0 ? {} : { security_groups: server.groups.map((name) => ({ name })) }),
    ...(server.userData === "" ? {} : { user_data: base64Of(server.userData) })
  }
})
