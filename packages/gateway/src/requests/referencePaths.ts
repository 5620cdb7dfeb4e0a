/** Paths of the API's reference, on the customer and the operator plane beside those of the API. */
export const referencePaths = ["/openapi.json", "/docs", "/docs/explorer.js", "/docs/theme.js"] as const
