import { cursorWith, textOf } from "./cursorText.ts"

const mark = "after:"

/** The token at the end of a page of objects: its last key, encoded for a query. Clients pass it on unchanged. */
export const continuationOf = (lastKey: string): string => cursorWith(`${mark}${lastKey}`)

/** The key after which the next page starts; undefined for an invalid token. */
export const afterOf = (token: string): string | undefined => {
  const text = textOf(token)
  // Base64url decoding ignores unknown characters, so a token is valid only if encoding it again gives the same text.
  if (!text.startsWith(mark) || text.length === mark.length) return undefined
  const key = text.slice(mark.length)
  return continuationOf(key) === token ? key : undefined
}

const versionMark = "version:"

/** The position at which a page of versions ends. */
export interface VersionPosition {
  readonly key: string
  readonly versionId: string
}

/** The token at the end of a page of versions: its last version and key. */
export const versionContinuationOf = ({ key, versionId }: VersionPosition): string =>
  cursorWith(`${versionMark}${versionId}:${key}`)

/** The version after which the next page starts; undefined for an invalid token. */
export const versionAfterOf = (token: string): VersionPosition | undefined => {
  const [, versionId, key] = /^version:([\w.-]+):(.+)$/s.exec(textOf(token)) ?? []
  if (versionId === undefined || key === undefined) return undefined
  const position = { key, versionId }
  return versionContinuationOf(position) === token ? position : undefined
}
