/**
 * What the page may load and call: the gateway that it came from, and nothing
 * else. The styles of the explorer are written into its elements.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The addresses are relative, so that the page also works behind a proxy that adds a prefix. */
export const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Portico API reference</title>
    <link rel="icon" href="data:,">
    <style>
      body { margin: 0; background: #ffffff; color: #1c2733; }
      openapi-explorer { --font-regular: system-ui, sans-serif; --font-mono: ui-monospace, monospace; }
      @media (prefers-color-scheme: dark) { body { background: #14191f; color: #dde4ec; } }
    </style>
    <script type="module" src="docs/theme.js"></script>
    <script type="module" src="docs/explorer.js"></script>
  </head>
  <body>
    <openapi-explorer
      spec-url="openapi.json"
      default-schema-tab="body"
      display-nulls="true"
      fetch-credentials="omit"
      hide-server-selection="true"
      schema-expand-level="2"
    ></openapi-explorer>
    <noscript>The reference needs JavaScript. The same as OpenAPI: <a href="openapi.json">openapi.json</a></noscript>
  </body>
</html>
`

/**
 * Gives the explorer the colours that the reader's system asks for, and the gateway that the page came from. The
 * explorer takes a token from its own address, as of a login that comes back, so that any link could sign its reader
 * in as whoever made the link: what is needed for that is removed before the explorer runs.
 */
export const theme = `const withoutLogin = () => {
  const { hash, pathname, search } = new URL(location.href)
  const isLogin = new URLSearchParams(hash.slice(1)).has("state")
  if (search !== "" || isLogin) history.replaceState({}, "", pathname + (isLogin ? "" : hash))
}
addEventListener("hashchange", withoutLogin)
withoutLogin()
const light = {
  "bg-color": "#ffffff", "text-color": "#1c2733", "primary-color": "#0b5cad", "secondary-color": "#0b5cad",
  "header-bg-color": "#f2f4f7", "header-color": "#1c2733", "nav-bg-color": "#f2f4f7", "nav-text-color": "#33404d",
  "nav-hover-bg-color": "#e1e7ee", "nav-hover-text-color": "#0b5cad"
}
const dark = {
  "bg-color": "#14191f", "text-color": "#dde4ec", "primary-color": "#6cb2f7", "secondary-color": "#6cb2f7",
  "header-bg-color": "#1b222a", "header-color": "#dde4ec", "nav-bg-color": "#1b222a", "nav-text-color": "#c3cedb",
  "nav-hover-bg-color": "#27313c", "nav-hover-text-color": "#6cb2f7"
}
const prefersDark = matchMedia("(prefers-color-scheme: dark)")
const apply = () => {
  const explorer = document.querySelector("openapi-explorer")
  for (const [name, value] of Object.entries(prefersDark.matches ? dark : light)) explorer.setAttribute(name, value)
}
prefersDark.addEventListener("change", apply)
apply()
document.querySelector("openapi-explorer").setAttribute("server-url", new URL(".", location.href).href.slice(0, -1))
`
