/** Whether a body is compressed, by its `Content-Encoding`. */
export const isEncoded = (contentEncoding: string | undefined): boolean =>
  contentEncoding !== undefined && contentEncoding.toLowerCase() !== "identity"
