/** The first messages of a client of the revision with sessions. */
export const initialize = (id: number | string = 0, capabilities: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "story", version: "1.0.0" } }
})

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
