/** The committed OpenAPI document of the customer plane; a test holds it against the declarations. */
declare const document: {
  readonly paths: Readonly<Record<string, unknown>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}
export default document
