/** One version in an address: ids of versions hold no slash, keys hold any. */
export const idOf = ({ key, version_id }: { readonly key: string; readonly version_id: string }): string =>
  `${version_id}/${key}`
