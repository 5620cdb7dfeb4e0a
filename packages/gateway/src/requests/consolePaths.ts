/** The console's pages: everything below, which is answered by its start page where no file has the path. */
export const consolePath = "/console"
export const consolePrefix = `${consolePath}/` as const
export const consoleConfigPath = `${consolePrefix}config.json` as const
export const consoleSessionPath = `${consolePrefix}session` as const
export const consoleRefreshPath = `${consoleSessionPath}/refresh` as const
/** Where the identity provider sends the browser back to after a login. */
export const consoleSignedInPath = `${consolePrefix}signed-in` as const

/** The console's paths as metrics and traces name them. */
export const consoleTemplates = [
  consolePath,
  `${consolePrefix}*`,
  consoleConfigPath,
  consoleSessionPath,
  consoleRefreshPath
] as const

/** The methods of these paths. */
export const consoleRoutes = [
  { method: "GET", path: consolePath },
  { method: "GET", path: `${consolePrefix}*` },
  { method: "POST", path: consoleSessionPath },
  { method: "DELETE", path: consoleSessionPath },
  { method: "POST", path: consoleRefreshPath }
] as const

/** Whether a path belongs to the console, which is no part of the API. */
export const isConsole = (path: string): boolean => path === consolePath || path.startsWith(consolePrefix)
