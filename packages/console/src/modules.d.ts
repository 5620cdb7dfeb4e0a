declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module "*.css"

declare module "*.svg" {
  const url: string
  export default url
}

/** Made by the build from the declarations: what an access policy can deny. */
declare module "virtual:areas" {
  export const areas: ReadonlyArray<string>
}

/** Made by the build from the catalogue of failures: what to do about each code. */
declare module "virtual:failures" {
  export const failures: Readonly<Record<string, { readonly cause: string; readonly fix: string }>>
}

/** Made by the build from the plane's document: every operation, as what writes calls out needs it. */
declare module "virtual:operations" {
  export const operations: ReadonlyArray<import("@portico/client/catalogue/Catalogue").Shape>
}

/** Made by the build from the plane's document: what it says of each operation, and of its fields by place. */
declare module "virtual:descriptions" {
  export const descriptions: Readonly<
    Record<string, { readonly text: string; readonly fields: Readonly<Record<string, string>> }>
  >
}
