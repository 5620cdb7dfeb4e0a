import { portico } from "../api/portico.ts"

interface Wanted {
  readonly name: string
  readonly key: string
  readonly version_id?: string | undefined
}

const shortest = 30

/** Opens an object in a window of its own by an address that ends soon. What the browser cannot show, it saves. */
export const download = Object.assign(
  async (wanted: Wanted): Promise<void> => {
    const { url } = await portico.objectStorage.presign({ ...wanted, expires_in: shortest })
    const link = document.createElement("a")
    link.href = url
    link.target = "_blank"
    link.rel = "noopener noreferrer"
    link.download = wanted.key.slice(wanted.key.lastIndexOf("/") + 1)
    link.click()
  },
  { operation: portico.objectStorage.presign.operation }
)
