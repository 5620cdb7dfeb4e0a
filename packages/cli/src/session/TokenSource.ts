import { Context } from "effect"

/** Where the token of this run is from; a hint at a refusal depends on it. The session writes it, and each run has its own. */
export class TokenSource extends Context.Reference<{ current: "PORTICO_TOKEN" | undefined }>(
  "portico/cli/TokenSource",
  { defaultValue: () => ({ current: undefined }) }
) {}
